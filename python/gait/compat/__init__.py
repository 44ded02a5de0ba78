"""The profiling helpers of four projects, on gait's capture: change one import, keep the code.

    gait.compat.supergrad      jax_profiler_utils of SuperGrad's benchmarks
    gait.compat.ueaj           ueaj.utils of MacroGPT-JAX
    gait.compat.efficientids   train.profiler, flop_counter and profiling_schema of EfficientIDS
    gait.compat.xax            xax.utils.profiling and its ProfilerMixin

Names, arguments, defaults, results, printed lines and folders are theirs. `python -m gait.compat` says what to
change in a program, and where these differ: what used to block, to repeat calls or to do nothing no longer does.
"""
