/** Measures how long the event loop of this thread is held, in processor time: what others do on the machine does not count. */
export class LoopMeter implements Disposable {
  #before = process.threadCpuUsage();
  #longestMs = 0;
  #running = true;

  constructor() {
    setImmediate(() => this.#turn());
  }

  /** The longest turn since the last call. */
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
