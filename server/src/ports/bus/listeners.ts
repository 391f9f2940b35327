export class Listeners {
  readonly #topics = new Map<string, Set<(payload: string) => void>>();

  add(topic: string, listener: (payload: string) => void): Disposable {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners);
    // A function of its own, so that a listener added twice is called twice.
    const each = (payload: string) => listener(payload);
    listeners.add(each);
    return {
      [Symbol.dispose]: () => {
        listeners.delete(each);
        if (listeners.size === 0 && this.#topics.get(topic) === listeners) this.#topics.delete(topic);
      },
    };
  }

  notify(topic: string, payload: string): void {
    for (const listener of [...(this.#topics.get(topic) ?? [])]) listener(payload);
  }
}
