import { type Bus, HINT_BYTES_MAX } from './bus.ts';
import { Listeners } from './listeners.ts';

/** Connects buses within one process. A single bus reaches nobody, as in a process that owns its database. */
export class MemoryHub {
  readonly #members = new Set<Listeners>();

  join(): Bus {
    const own = new Listeners();
    this.#members.add(own);
    return {
      publish: (topic, payload) => {
        if (Buffer.byteLength(topic) + Buffer.byteLength(payload) > HINT_BYTES_MAX) return;
        const others = [...this.#members].filter((member) => member !== own);
        // Delivered later, as over a network, so that no listener runs while the publisher is still at work.
        setImmediate(() => {
          for (const member of others) if (this.#members.has(member)) member.notify(topic, payload);
        });
      },
      subscribe: (topic, listener) => own.add(topic, listener),
      onMissed: () => ({ [Symbol.dispose]: () => undefined }),
      [Symbol.asyncDispose]: async () => {
        this.#members.delete(own);
      },
    };
  }
}
