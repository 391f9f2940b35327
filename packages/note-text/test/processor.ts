/** Processor time in milliseconds of some work; unlike wall time it does not grow when the machine is busy. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
