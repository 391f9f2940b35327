export interface StandInEventRef {
  readonly name: string;
  readonly callback: (...data: never[]) => unknown;
  readonly context: unknown;
  /** Source of the event, so that a component can unsubscribe. */
  readonly source: Events;
}

/** Events of the app (api: Events). A listener that throws is reported and does not keep the others from theirs. */
export class Events {
  readonly #refs = new Set<StandInEventRef>();

  on(name: string, callback: (...data: never[]) => unknown, context?: unknown): StandInEventRef {
    const ref = { name, callback, context, source: this };
    this.#refs.add(ref);
    return ref;
  }

  off(name: string, callback: (...data: never[]) => unknown): void {
    for (const ref of [...this.#refs]) if (ref.name === name && ref.callback === callback) this.#refs.delete(ref);
  }

  offref(ref: StandInEventRef): void {
    this.#refs.delete(ref);
  }

  trigger(name: string, ...data: unknown[]): void {
    for (const ref of [...this.#refs]) {
      if (ref.name !== name || !this.#refs.has(ref)) continue;
      try {
        ref.callback.apply(ref.context, data as never[]);
      } catch (error) {
        failures.push(error);
      }
    }
  }

  /** Number of listeners. An unloaded plugin must leave none. */
  get listeners(): number {
    return this.#refs.size;
  }
}

/** Errors thrown by listeners. The app logs them and continues; tests read them here. */
export const failures: unknown[] = [];
