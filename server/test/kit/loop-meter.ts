/**
 * Measures how long the event loop of this thread is blocked, in processor time, which other work on the machine does
 * not affect.
 */
export class LoopMeter implements Disposable {
  #before = process.threadCpuUsage();
  #longestMs = 0;
  #running = true;

  constructor() {
    setImmediate(() => this.#turn());
  }

  /** Returns the longest turn since the last call. */
  take(): number {
    this.#look();
    const longest = this.#longestMs;
    this.#longestMs = 0;
    return longest;
  }

  [Symbol.dispose](): void {
    this.#running = false;
  }

  #turn(): void {
    this.#look();
    if (this.#running) setImmediate(() => this.#turn());
  }

  #look(): void {
    const { user, system } = process.threadCpuUsage(this.#before);
    this.#before = process.threadCpuUsage();
    this.#longestMs = Math.max(this.#longestMs, (user + system) / 1000);
  }
}
