/**
 * An element as far as a plugin builds its pages of them, for where there is no browser. The app adds `createEl` and its kin
 * to every element (api: the `Node` interfaces of its global declarations).
 */
export class StandInElement {
  readonly tag: string;
  readonly classes = new Set<string>();
  readonly attributes = new Map<string, string>();
  children: StandInElement[] = [];
  parent: StandInElement | null = null;
  textContent = '';
  value = '';
  disabled = false;
  readonly style = { setProperty: (_name: string, _value: string) => undefined };
  readonly #listeners = new Map<string, ((event: unknown) => void)[]>();

  constructor(tag = 'div') {
    this.tag = tag;
  }

  createEl(
    tag: string,
    options: { cls?: string | string[]; text?: string; attr?: Record<string, unknown> } | string = {},
  ) {
    const child = new StandInElement(tag);
    const { cls = [], text = '', attr = {} } = typeof options === 'string' ? { cls: options } : options;
    child.addClass(...(typeof cls === 'string' ? cls.split(' ') : cls));
    child.textContent = text;
    for (const [name, value] of Object.entries(attr)) child.setAttribute(name, String(value));
    this.appendChild(child);
    return child;
  }

  createDiv(options = {}) {
    return this.createEl('div', options);
  }

  createSpan(options = {}) {
    return this.createEl('span', options);
  }

  appendChild(child: StandInElement) {
    child.remove();
    child.parent = this;
    this.children.push(child);
    return child;
  }

  append(...children: (StandInElement | string)[]): void {
    for (const child of children) {
      if (typeof child === 'string') this.createSpan({ text: child });
      else this.appendChild(child);
    }
  }

  remove(): void {
    if (this.parent !== null) this.parent.children = this.parent.children.filter((child) => child !== this);
    this.parent = null;
  }

  detach(): void {
    this.remove();
  }

  empty(): void {
    this.children = [];
    this.textContent = '';
  }

  setText(text: string): void {
    this.children = [];
    this.textContent = text;
  }

  addClass(...names: string[]): void {
    for (const name of names) if (name !== '') this.classes.add(name);
  }

  removeClass(...names: string[]): void {
    for (const name of names) this.classes.delete(name);
  }

  toggleClass(name: string, isOn: boolean): void {
    if (isOn) this.classes.add(name);
    else this.classes.delete(name);
  }

  hasClass(name: string): boolean {
    return this.classes.has(name);
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  setAttr(name: string, value: unknown): void {
    this.setAttribute(name, String(value));
  }

  toggle(isShown: boolean): void {
    this.toggleClass('is-hidden', !isShown);
  }

  addEventListener(name: string, listener: (event: unknown) => void): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  onClickEvent(listener: (event: unknown) => void): void {
    this.addEventListener('click', listener);
  }

  dispatch(name: string, event: unknown = {}): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(event);
  }

  click(): void {
    if (!this.disabled) this.dispatch('click');
  }

  focus(): void {}

  /** All text of it, as a person reads it. */
  get text(): string {
    return [this.textContent, ...this.children.map(({ text }) => text)].filter((part) => part !== '').join(' ');
  }

  /** Every element in it, itself first. */
  get all(): StandInElement[] {
    return [this, ...this.children.flatMap((child) => child.all)];
  }
}
