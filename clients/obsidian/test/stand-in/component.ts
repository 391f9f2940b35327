import type { StandInEventRef } from './events.ts';

/** Component that can be loaded and unloaded, and releases all its resources when unloaded (api: Component). */
export class Component {
  #isLoaded = false;
  readonly #children = new Set<Component>();
  readonly #taken: (() => unknown)[] = [];

  load(): void {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    this.onload();
    for (const child of this.#children) child.load();
  }

  onload(): void {}

  unload(): void {
    if (!this.#isLoaded) return;
    this.#isLoaded = false;
    for (const child of [...this.#children]) this.removeChild(child);
    for (const release of this.#taken.splice(0)) release();
    this.onunload();
  }

  /** Synchronous: what it begins may not end. */
  onunload(): void {}

  addChild<Child extends Component>(child: Child): Child {
    this.#children.add(child);
    if (this.#isLoaded) child.load();
    return child;
  }

  removeChild<Child extends Component>(child: Child): Child {
    this.#children.delete(child);
    child.unload();
    return child;
  }

  register(release: () => unknown): void {
    this.#taken.push(release);
  }

  registerEvent(ref: StandInEventRef): void {
    this.register(() => ref.source.offref(ref));
  }

  registerDomEvent(target: EventTarget, name: string, listener: (event: Event) => void): void {
    target.addEventListener(name, listener);
    this.register(() => target.removeEventListener(name, listener));
  }

  registerInterval(id: number): number {
    this.register(() => window.clearInterval(id));
    return id;
  }
}
