// For tests: NVML of a machine with two GPUs, of which the second knows no power and has a second process.
extern "C" {

struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned int gpu, memory;
};
struct Process {
  unsigned int pid;
  unsigned long long used;
  unsigned int gpu_instance, compute_instance;
};

static char devices[2];

int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void** handle) {
  if (index > 1) return 2;
  *handle = &devices[index];
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
  *handle = &devices[1];
  return uuid[0] == 'G' ? 0 : 2;
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  *memory = {100, 40, 60};
  return 0;
}
int nvmlDeviceGetUtilizationRates(void*, Utilization* busy) {
  *busy = {97, 31};
  return 0;
}
int nvmlDeviceGetPowerUsage(void* handle, unsigned int* milliwatts) {
  *milliwatts = 345500;
  return handle == &devices[0] ? 0 : 3;
}
int nvmlDeviceGetTemperature(void*, int, unsigned int* celsius) {
  *celsius = 61;
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int kind, unsigned int* mhz) {
  *mhz = kind == 1 ? 1980 : 3201;
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* handle, unsigned int* count, Process* processes) {
  if (*count < 2) return 7;
  processes[0] = {4711, 1 << 20, 0, 0};
  processes[1] = {4712, 1 << 20, 0, 0};
  *count = handle == &devices[0] ? 1 : 2;
  return 0;
}
}
