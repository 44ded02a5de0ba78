// Why a request has no answer, and what to do about it.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    what: string,
    readonly hint: string,
    readonly againAfter?: number, // seconds
    readonly see?: string, // the verb of "gait VERB" in the hint, where that shows more of the same run
  ) {
    super(what);
  }
}
