// Sets of track keys in the URL. Keys hold anything but this separator.
const separator = '|';

export const parseKeys = (text: string): Set<string> => new Set(text.split(separator).filter(Boolean));
export const formatKeys = (keys: ReadonlySet<string>): string => [...keys].join(separator);
