/** Who hears which topic. */
export class Listeners {
  readonly #topics = new Map<string, Set<(payload: string) => void>>();

  add(topic: string, hear: (payload: string) => void): Disposable {
    const hearing = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, hearing);
    // Its own function, so that one listener given twice is two.
    const each = (payload: string) => hear(payload);
    hearing.add(each);
    return {
      [Symbol.dispose]: () => {
        hearing.delete(each);
        if (hearing.size === 0 && this.#topics.get(topic) === hearing) this.#topics.delete(topic);
      },
    };
  }

  tell(topic: string, payload: string): void {
    for (const hear of [...(this.#topics.get(topic) ?? [])]) hear(payload);
  }
}
