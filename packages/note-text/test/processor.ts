/** Milliseconds of processor that some work takes: unlike its time, these are the same on a machine that is busy otherwise. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
