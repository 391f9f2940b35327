import { setTimeout as delay } from 'node:timers/promises';

export class Pace {
  readonly #bytesPerSecond: number;
  #freeAt = performance.now();

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Resolves when this many more bytes may be copied. */
  async spend(bytes: number): Promise<void> {
    const now = performance.now();
    this.#freeAt = Math.max(now, this.#freeAt) + (bytes / this.#bytesPerSecond) * 1000;
    if (this.#freeAt - now >= 1) await delay(this.#freeAt - now);
  }
}
