// The columns of every table, by the type of their values. Made by tools/make_tables.py: not to be edited.
// Tables of one name have the columns of all verbs that have one.

type Columns<Text extends string, Number extends string, Any extends string> = {
  readonly [name in Text]: string;
} & { readonly [name in Number]: number } & { readonly [name in Any]: unknown };

export interface Tables {
  readonly alignment: Columns<
    'host' | 'device',
    'offset' | 'spread' | 'samples' | 'applied',
    never
  >;
  readonly area: Columns<
    'name' | 'category' | 'scope' | 'on',
    'count' | 'total' | 'self' | 'share' | 'mean' | 'p50' | 'p99' | 'min' | 'max' | 'name_id',
    never
  >;
  readonly area_time: Columns<
    'device' | 'host',
    'window' | 'compute' | 'exposed_communication' | 'exposed_copies' | 'unknown' | 'idle' |
    'hidden_communication' | 'hidden_copies' | 'idle_peer' | 'idle_input' | 'idle_staging' |
    'idle_callback' | 'idle_compile' | 'idle_host_sync' | 'idle_allocator' | 'idle_dispatch' |
    'idle_launch' | 'idle_graph_launch' | 'idle_dependency' | 'idle_kernel_gap' | 'idle_unknown',
    never
  >;
  readonly attribution: Columns<
    'how' | 'host' | 'kind',
    'events' | 'device_time' | 'share',
    never
  >;
  readonly balance: Columns<
    'term' | 'mostly' | 'verb' | 'about',
    'time' | 'share' | 'explained' | 'total' | 'a' | 'b' | 'delta',
    'holds'
  >;
  readonly balance_devices: Columns<
    'host' | 'device',
    'time' | 'necessary' | 'avoidable' | 'inefficiency' | 'communication' | 'copies' | 'idle' | 'unrated',
    never
  >;
  readonly capture: Columns<
    'name' | 'host' | 'value' | 'kind',
    never,
    never
  >;
  readonly checks: Columns<
    'limit' | 'result' | 'reason' | 'evidence' | 'metric' | 'unit',
    'value',
    never
  >;
  readonly collective_devices: Columns<
    'host' | 'device',
    'exposed_per_step' | 'hidden_per_step' | 'wait_per_step' | 'exposed' | 'hidden' | 'wait' |
    'exposed_share' | 'executions' | 'starts_last' | 'starts_last_share' | 'skew_caused',
    never
  >;
  readonly collective_kinds: Columns<
    'kind',
    'collectives' | 'executions' | 'bytes_per_step' | 'exposed_per_step' | 'hidden_per_step' |
    'wait_per_step' | 'exposed' | 'hidden' | 'wait',
    never
  >;
  readonly collective_matrix: Columns<
    'collective' | 'program' | 'host' | 'device',
    'program_id' | 'wait_per_step' | 'wait' | 'executions' | 'starts_last',
    never
  >;
  readonly collectives: Columns<
    'collective' | 'kind' | 'group' | 'straggler' | 'program' | 'scope' | 'source' | 'matched_by',
    'group_size' | 'executions' | 'message_bytes' | 'time' | 'time_mean' | 'algorithm_bandwidth' |
    'exposed_per_step' | 'exposed' | 'hidden' | 'wait_per_step' | 'wait' | 'bus_bandwidth' | 'skew' |
    'largest_skew' | 'starts_last' | 'program_id' | 'devices' | 'incomplete',
    never
  >;
  readonly compile_functions: Columns<
    'host' | 'function' | 'program' | 'causes',
    'compiles' | 'from_cache' | 'steps' | 'time' | 'autotuning' | 'share',
    never
  >;
  readonly compile_phases: Columns<
    'host' | 'phase' | 'stage',
    'depth' | 'time' | 'share' | 'thread_time' | 'parallel',
    never
  >;
  readonly compile_totals: Columns<
    'host',
    'compiles' | 'from_cache' | 'time' | 'window' | 'time_in_window' | 'idle_meanwhile' | 'steps' |
    'steps_hit',
    never
  >;
  readonly compiles: Columns<
    'host' | 'function' | 'program' | 'cache_result' | 'thread' | 'event' | 'cause' | 'why',
    'program_id' | 'nth' | 'step' | 'begin' | 'time' | 'elapsed' | 'tracing' | 'lowering' | 'cache' |
    'optimization' | 'autotuning' | 'code_generation' | 'loading' | 'other' | 'compared_with',
    never
  >;
  readonly devices: Columns<
    'device' | 'host' | 'model' | 'plane',
    'memory' | 'bandwidth' | 'cores' | 'events' | 'plane_id' | 'window' | 'compute' |
    'exposed_communication' | 'exposed_copies' | 'unknown' | 'idle' | 'busy',
    never
  >;
  readonly environment: Columns<
    'what' | 'a' | 'b',
    never,
    never
  >;
  readonly events: Columns<
    'track' | 'name' | 'host' | 'plane' | 'instruction' | 'scope' | 'attribution',
    'begin' | 'duration' | 'track_id' | 'depth',
    'arguments'
  >;
  readonly finding_details: Columns<
    'rule' | 'see' | 'see_verb' | 'see_option' | 'see_value' | 'explain',
    'step_if_fixed',
    'overlaps'
  >;
  readonly findings: Columns<
    'rule' | 'severity' | 'title' | 'cause' | 'fix' | 'docs' | 'cost' | 'portion',
    'cost_ms_per_step' | 'share' | 'cost_low' | 'cost_high',
    'evidence'
  >;
  readonly fixes: Columns<
    'rule' | 'title',
    'saved' | 'share' | 'step',
    never
  >;
  readonly flame: Columns<
    'name',
    'depth' | 'total' | 'self' | 'count' | 'name_id',
    never
  >;
  readonly gap_lengths: Columns<
    'length',
    'gaps' | 'idle' | 'per_step' | 'of_idle' | 'from' | 'below',
    never
  >;
  readonly heap_diff: Columns<
    'site' | 'caller' | 'kind' | 'device' | 'state' | 'leak' | 'stack',
    'before' | 'after' | 'change' | 'per_profile',
    'bytes' | 'counts'
  >;
  readonly heap_places: Columns<
    'profile' | 'place' | 'function' | 'file' | 'of_jax',
    'line' | 'flat' | 'share' | 'cumulative' | 'count' | 'flat_count',
    never
  >;
  readonly heap_stacks: Columns<
    'stack' | 'kind' | 'device',
    'bytes' | 'count',
    never
  >;
  readonly heap_totals: Columns<
    'profile' | 'kind' | 'device',
    'bytes' | 'count' | 'unknown',
    never
  >;
  readonly host_activities: Columns<
    'name' | 'host' | 'kind' | 'part',
    'count' | 'self_per_step' | 'total_per_step' | 'self' | 'total' | 'main_self' | 'main_total' |
    'threads' | 'mean' | 'max',
    never
  >;
  readonly host_annotations: Columns<
    'name' | 'host' | 'kind' | 'part',
    'count' | 'self_per_step' | 'total_per_step' | 'self' | 'total' | 'main_self' | 'main_total' |
    'threads' | 'mean' | 'max',
    never
  >;
  readonly host_python: Columns<
    'name' | 'host' | 'kind' | 'part',
    'count' | 'self_per_step' | 'total_per_step' | 'self' | 'total' | 'main_self' | 'main_total' |
    'threads' | 'mean' | 'max',
    never
  >;
  readonly host_runtime: Columns<
    'name' | 'host' | 'kind' | 'part',
    'count' | 'self_per_step' | 'total_per_step' | 'self' | 'total' | 'main_self' | 'main_total' |
    'threads' | 'mean' | 'max',
    never
  >;
  readonly host_threads: Columns<
    'thread' | 'host' | 'main' | 'top',
    'events' | 'busy' | 'busy_share' | 'ordinal',
    never
  >;
  readonly hosts: Columns<
    'host' | 'path',
    'started' | 'span' | 'events' | 'tracks' | 'programs' | 'size' | 'memory',
    never
  >;
  readonly idle: Columns<
    'cause' | 'why',
    'per_step' | 'idle' | 'of_idle' | 'of_time' | 'gaps',
    never
  >;
  readonly idle_gaps: Columns<
    'host' | 'device' | 'cause' | 'host_did' | 'ended_by' | 'annotation' | 'python' | 'runtime' | 'thread',
    'step' | 'begin' | 'duration' | 'launch' | 'by_peer' | 'by_input' | 'by_staging' | 'by_callback' |
    'by_compile' | 'by_host_sync' | 'by_allocator' | 'by_dispatch' | 'by_launch' | 'by_graph_launch' |
    'by_dependency' | 'by_kernel_gap' | 'by_unknown',
    never
  >;
  readonly idle_steps: Columns<
    'host' | 'device',
    'step' | 'step_time' | 'idle' | 'peer' | 'input' | 'staging' | 'callback' | 'compile' | 'host_sync' |
    'allocator' | 'dispatch' | 'launch' | 'graph_launch' | 'dependency' | 'kernel_gap' | 'unknown',
    never
  >;
  readonly input_pipeline: Columns<
    'part' | 'host' | 'about',
    'per_step' | 'share' | 'total' | 'device_busy',
    never
  >;
  readonly input_steps: Columns<
    'host' | 'flags',
    'step' | 'host_step' | 'fetch' | 'to_device' | 'dispatch' | 'compile' | 'wait' | 'collect' | 'rest' |
    'rest_device_busy',
    never
  >;
  readonly instructions: Columns<
    'name' | 'opcode' | 'shape' | 'computation' | 'scope' | 'source',
    'flops' | 'bytes_read' | 'bytes_written',
    never
  >;
  readonly kernel_launches: Columns<
    'launch_bound',
    'launches' | 'launches_per_step' | 'kernels_per_step' | 'call_mean' | 'call_p50' | 'call_p99' |
    'call_max' | 'call_total' | 'graph_launches' | 'graph_kernels' | 'unlinked_kernels' | 'dispatching' |
    'kernel_union' | 'kernel_total' | 'window',
    never
  >;
  readonly kernel_sizes: Columns<
    'duration',
    'count' | 'count_share' | 'total' | 'time_share' | 'from' | 'below',
    never
  >;
  readonly kernels: Columns<
    'kernel' | 'tensor_cores' | 'limited_by' | 'name' | 'class' | 'grid' | 'block' | 'varies',
    'count' | 'total' | 'share' | 'mean' | 'occupancy' | 'p99' | 'union' | 'p50' | 'min' | 'max' | 'per_step' |
    'registers' | 'static_shared' | 'dynamic_shared' | 'shared' | 'shapes' | 'grid_blocks_min' |
    'grid_blocks_max' | 'block_threads_min' | 'block_threads_max' | 'registers_min' | 'registers_max' |
    'shared_min' | 'shared_max' | 'occupancy_computed' | 'waves' | 'operation_count',
    'devices' | 'streams' | 'operations' | 'operation_programs' | 'scopes'
  >;
  readonly kpi: Columns<
    'metric' | 'unit' | 'level',
    'value' | 'good' | 'bad',
    never
  >;
  readonly launches: Columns<
    'host' | 'device' | 'kind',
    'launches' | 'nodes' | 'call_mean' | 'delay_mean' | 'delay_p50' | 'delay_p90' | 'delay_p99' |
    'delay_max' | 'call_p50' | 'call_p90' | 'call_p99' | 'call_max',
    never
  >;
  readonly memory: Columns<
    'host' | 'device' | 'space' | 'allocator',
    'peak' | 'limit' | 'used' | 'headroom' | 'before' | 'lifetime_peak' | 'device_memory' |
    'fragmentation' | 'peak_step' | 'peak_time' | 'allocations' | 'deallocations' | 'allocated_bytes',
    never
  >;
  readonly memory_buffers: Columns<
    'host' | 'program' | 'scope' | 'instruction' | 'category' | 'kind' | 'shape',
    'program_id' | 'bytes' | 'padding' | 'share',
    never
  >;
  readonly memory_groups: Columns<
    'host' | 'program' | 'by' | 'group',
    'bytes' | 'share' | 'count',
    never
  >;
  readonly memory_live: Columns<
    'host' | 'device' | 'allocator' | 'what' | 'kind' | 'program' | 'operation' | 'shape',
    'bytes' | 'share' | 'count',
    never
  >;
  readonly memory_programs: Columns<
    'host' | 'program' | 'peak_at',
    'program_id' | 'total' | 'parameters' | 'donated' | 'outputs' | 'constants' | 'temporaries' |
    'live_temporaries' | 'packing' | 'padding' | 'other_spaces' | 'per_thread',
    never
  >;
  readonly memory_schedule: Columns<
    'host' | 'program' | 'instruction',
    'program_id' | 'position' | 'bytes',
    never
  >;
  readonly memory_timeline: Columns<
    'host' | 'device' | 'allocator',
    'time' | 'in_use',
    never
  >;
  readonly memset_sites: Columns<
    'place' | 'kind' | 'memory' | 'every_step' | 'in_program' | 'asked_by' | 'python' | 'function' |
    'operation' | 'instruction' | 'scope' | 'staging_work' | 'host' | 'event',
    'size' | 'count' | 'bytes' | 'time' | 'rate' | 'hidden' | 'staging' | 'staging_rate' | 'total' |
    'hidden_time' | 'time_per_step' | 'staging_per_step' | 'staged' | 'without_bytes' | 'pinned' |
    'pageable' | 'program_id' | 'steps_with' | 'begin',
    'staging_threads' | 'stack'
  >;
  readonly metrics: Columns<
    'metric' | 'unit' | 'about',
    'value',
    never
  >;
  readonly neighbours: Columns<
    'name' | 'relation' | 'opcode' | 'shape',
    never,
    never
  >;
  readonly operations: Columns<
    'change' | 'operation' | 'category' | 'scope' | 'program' | 'program_a' | 'program_b',
    'a' | 'b' | 'delta' | 'a_executions' | 'b_executions',
    never
  >;
  readonly ops: Columns<
    'name' | 'path' | 'scope' | 'program' | 'from' | 'pass' | 'bound' | 'category' | 'source' | 'caller' |
    'unattributed' | 'slowest_layer',
    'depth' | 'program_id' | 'per_step' | 'self' | 'share' | 'executions' | 'flops_per_second' |
    'bytes_per_second' | 'flops' | 'bytes' | 'unknown_cost' | 'time' | 'own' | 'mean' | 'events' |
    'operations' | 'layers' | 'layer_mean' | 'layer_min' | 'layer_max' | 'layer_spread',
    never
  >;
  readonly overview: Columns<
    'quantity' | 'unit' | 'note' | 'brief',
    never,
    'value'
  >;
  readonly path: Columns<
    'class' | 'what',
    'per_step' | 'share' | 'without' | 'total',
    never
  >;
  readonly path_bounds: Columns<
    'bound' | 'if',
    'step' | 'saved' | 'speedup',
    never
  >;
  readonly path_events: Columns<
    'host' | 'name' | 'class' | 'scope',
    'recorded' | 'per_step' | 'share' | 'count' | 'total' | 'program_id',
    never
  >;
  readonly path_steps: Columns<
    'host' | 'device',
    'step' | 'begin' | 'length' | 'perfect_overlap' | 'compute' | 'communication' | 'copies' |
    'kernel_gap' | 'launch' | 'dispatch' | 'input' | 'compile' | 'host_sync' | 'unknown',
    never
  >;
  readonly peaks: Columns<
    'device' | 'what' | 'from',
    'flops_per_second' | 'bytes_per_second',
    never
  >;
  readonly programs: Columns<
    'name' | 'host' | 'bound',
    'id' | 'instructions' | 'computations' | 'flops' | 'program_id' | 'wasted_per_step' | 'wasted' |
    'per_step' | 'self' | 'efficiency' | 'flops_per_second' | 'intensity' | 'bytes_per_second' | 'bytes' |
    'time' | 'executions',
    never
  >;
  readonly properties: Columns<
    'name' | 'unit',
    never,
    'value'
  >;
  readonly quantities: Columns<
    'quantity' | 'unit' | 'verb',
    'a' | 'b' | 'delta',
    never
  >;
  readonly queue: Columns<
    'host' | 'device',
    'depth_mean' | 'depth_p50' | 'depth_p90' | 'depth_p99' | 'depth_max' | 'empty' | 'empty_time',
    never
  >;
  readonly rates: Columns<
    'type' | 'unit' | 'source',
    'rate' | 'data_sheet' | 'share',
    never
  >;
  readonly roofline: Columns<
    'name' | 'scope' | 'program' | 'category' | 'bound' | 'data_type',
    'program_id' | 'wasted_per_step' | 'wasted' | 'per_step' | 'self' | 'efficiency' | 'flops_per_second' |
    'attainable' | 'intensity' | 'bytes_per_second' | 'flops' | 'bytes' | 'time' | 'executions' | 'peak',
    never
  >;
  readonly rules: Columns<
    'rule' | 'result' | 'why' | 'summary',
    never,
    never
  >;
  readonly runs: Columns<
    'run' | 'time_from' | 'devices' | 'beside' | 'label' | 'name' | 'path',
    'position' | 'time' | 'hosts' | 'size',
    never
  >;
  readonly scaling: Columns<
    'run' | 'isolated',
    'devices' | 'steps' | 'step' | 'noise' | 'ideal' | 'speedup' | 'efficiency' | 'loss' | 'ideal_speedup' |
    'warm_steps' | 'warm_step' | 'warm_noise',
    never
  >;
  readonly scaling_collectives: Columns<
    'kind',
    'devices' | 'exposed' | 'wait' | 'longest_wait',
    never
  >;
  readonly scaling_loss: Columns<
    never,
    'devices' | 'compute' | 'communication' | 'waiting_for_devices' | 'copies' | 'idle' | 'loss',
    never
  >;
  readonly scopes: Columns<
    'scope' | 'bound' | 'program' | 'program_a' | 'program_b',
    'per_step' | 'forward' | 'backward' | 'layers' | 'share' | 'a' | 'b' | 'delta',
    never
  >;
  readonly shardings: Columns<
    'name' | 'program' | 'role' | 'shape' | 'on_device' | 'lies' | 'sharding',
    'program_id' | 'number' | 'devices' | 'copies' | 'bytes',
    never
  >;
  readonly stack: Columns<
    'source' | 'function',
    never,
    never
  >;
  readonly step: Columns<
    'data_type',
    'step_time' | 'flops' | 'flops_per_second' | 'peak' | 'hfu' | 'mfu' | 'devices' | 'model_flops' |
    'unknown_cost',
    never
  >;
  readonly step_devices: Columns<
    'host' | 'series' | 'device',
    'step' | 'begin' | 'step_time' | 'compute' | 'exposed_communication' | 'exposed_copies' | 'unknown' |
    'idle' | 'hidden_communication' | 'hidden_copies' | 'events',
    never
  >;
  readonly step_times: Columns<
    'host' | 'series' | 'inferred' | 'loop',
    'waited' | 'steps' | 'mean' | 'median' | 'p90' | 'p99' | 'min' | 'max' | 'sigma' | 'cv',
    never
  >;
  readonly steps: Columns<
    'name' | 'host' | 'marked_by' | 'series' | 'flags',
    'count' | 'first' | 'last' | 'host_time_median' | 'step' | 'step_time' | 'host_time' | 'compute' |
    'exposed_communication' | 'exposed_copies' | 'unknown' | 'idle' | 'hidden_communication' |
    'hidden_copies' | 'complete',
    never
  >;
  readonly top_operations: Columns<
    'operation' | 'category' | 'scope' | 'program',
    'per_step' | 'share' | 'executions' | 'program_id',
    never
  >;
  readonly tracks: Columns<
    'track' | 'host' | 'kind' | 'plane' | 'name',
    'events' | 'begin' | 'end' | 'busy' | 'total_duration' | 'id' | 'derived',
    never
  >;
  readonly transfer_sites: Columns<
    'place' | 'kind' | 'memory' | 'every_step' | 'in_program' | 'asked_by' | 'python' | 'function' |
    'operation' | 'instruction' | 'scope' | 'staging_work' | 'host' | 'event',
    'size' | 'count' | 'bytes' | 'time' | 'rate' | 'hidden' | 'staging' | 'staging_rate' | 'total' |
    'hidden_time' | 'time_per_step' | 'staging_per_step' | 'staged' | 'without_bytes' | 'pinned' |
    'pageable' | 'program_id' | 'steps_with' | 'begin',
    'staging_threads' | 'stack'
  >;
  readonly transfers: Columns<
    'kind' | 'place' | 'memory',
    'count' | 'bytes' | 'time' | 'rate' | 'hidden' | 'staging' | 'staging_rate' | 'total' | 'hidden_time' |
    'time_per_step' | 'staging_per_step' | 'staged' | 'without_bytes' | 'pinned' | 'pageable',
    never
  >;
  readonly variant_parts: Columns<
    'run',
    'compute' | 'exposed_communication' | 'exposed_copies' | 'kernels_of_no_program' | 'idle' |
    'memory_peak',
    never
  >;
  readonly variants: Columns<
    'run' | 'verdict',
    'step' | 'delta' | 'ratio' | 'low' | 'high' | 'noise' | 'shift' | 'shift_low' | 'shift_high' |
    'of_most_steps' | 'of_steps',
    never
  >;
  readonly verdict: Columns<
    'run' | 'verdict',
    'step' | 'delta' | 'ratio' | 'low' | 'high' | 'noise' | 'shift' | 'shift_low' | 'shift_high' |
    'of_most_steps' | 'of_steps',
    never
  >;
  readonly what_changed: Columns<
    'part' | 'note' | 'verb' | 'option' | 'value',
    'depth' | 'a' | 'b' | 'delta',
    never
  >;
  readonly where: Columns<
    'part' | 'verb',
    'depth' | 'per_step' | 'share' | 'hidden' | 'total',
    'holds'
  >;
}

export const idleCauseNames = {
  peer: 'waited for another device',
  input: 'host busy with input',
  staging: 'host preparing copies',
  callback: 'callback into Python',
  compile: 'host compiling',
  host_sync: 'host waits for a result',
  allocator: 'host allocating memory',
  dispatch: 'Python and dispatch code',
  launch: 'launch overhead',
  graph_launch: 'graph launch overhead',
  dependency: 'held by a dependency',
  kernel_gap: 'between kernels',
  unknown: 'not known',
} as const;
export type IdleCause = keyof typeof idleCauseNames;
