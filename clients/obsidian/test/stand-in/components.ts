import type { StandInApp } from './app.ts';
import { StandInElement } from './element.ts';

/** The dialogs that are open, the last on top, and the notices that were shown: a test looks here. */
export const shown: { readonly modals: Modal[]; readonly notices: Notice[]; menu: Menu | null } = {
  ...{ modals: [], notices: [] },
  menu: null,
};

/** A dialog (api: Modal). */
export class Modal {
  readonly app: StandInApp;
  readonly containerEl = new StandInElement();
  readonly modalEl = this.containerEl.createDiv();
  readonly titleEl = this.modalEl.createDiv();
  readonly contentEl = this.modalEl.createDiv();
  #closed: () => unknown = () => undefined;

  constructor(app: StandInApp) {
    this.app = app;
  }

  open(): void {
    shown.modals.push(this);
    this.onOpen();
  }

  close(): void {
    const at = shown.modals.indexOf(this);
    if (at < 0) return;
    shown.modals.splice(at, 1);
    this.onClose();
    this.#closed();
  }

  onOpen(): void {}

  onClose(): void {}

  setTitle(title: string): this {
    this.titleEl.setText(title);
    return this;
  }

  setContent(content: string): this {
    this.contentEl.setText(content);
    return this;
  }

  setCloseCallback(closed: () => unknown): this {
    this.#closed = closed;
    return this;
  }
}

/** A dialog with suggestions for what is typed (api: SuggestModal). */
export abstract class SuggestModal<Item> extends Modal {
  readonly inputEl = new StandInElement('input');
  readonly resultContainerEl = new StandInElement();
  emptyStateText = 'No results found.';
  limit = 100;

  abstract getSuggestions(query: string): Item[] | Promise<Item[]>;
  abstract renderSuggestion(item: Item, el: StandInElement): void;
  abstract onChooseSuggestion(item: Item, event: unknown): void;

  setPlaceholder(text: string): void {
    this.inputEl.setAttribute('placeholder', text);
  }

  setInstructions(): void {}

  /** Types a query, and returns what is suggested. */
  async type(query: string): Promise<Item[]> {
    const items = (await this.getSuggestions(query)).slice(0, this.limit);
    this.resultContainerEl.empty();
    for (const item of items) this.renderSuggestion(item, this.resultContainerEl.createDiv());
    if (items.length === 0) this.resultContainerEl.setText(this.emptyStateText);
    return items;
  }
}

export class Notice {
  readonly noticeEl = new StandInElement();
  isHidden = false;
  message: string;

  constructor(message: string, _duration?: number) {
    this.message = message;
    shown.notices.push(this);
  }

  setMessage(message: string): this {
    this.message = message;
    return this;
  }

  hide(): void {
    this.isHidden = true;
  }
}

/** A row of a menu (api: MenuItem). */
export class MenuItem {
  title = '';
  isLabel = false;
  #clicked: (event: unknown) => unknown = () => undefined;

  setTitle(title: string): this {
    this.title = title;
    return this;
  }

  setIsLabel(isLabel: boolean): this {
    this.isLabel = isLabel;
    return this;
  }

  onClick(clicked: (event: unknown) => unknown): this {
    this.#clicked = clicked;
    return this;
  }

  click(): unknown {
    return this.#clicked({});
  }
}

/** A menu at the pointer (api: Menu). */
export class Menu {
  readonly items: MenuItem[] = [];

  addItem(build: (item: MenuItem) => unknown): this {
    const item = new MenuItem();
    build(item);
    this.items.push(item);
    return this;
  }

  addSeparator(): this {
    return this;
  }

  showAtMouseEvent(_event: unknown): this {
    shown.menu = this;
    return this;
  }
}

/** A control of a settings row, as a test uses it: what it shows, and what its use does. */
export class StandInControl {
  readonly kind: string;
  readonly el = new StandInElement();
  text = '';
  value: unknown = null;
  isDisabled = false;
  options: Record<string, string> = {};
  #changed: (value: never) => unknown = () => undefined;
  #clicked: (event: unknown) => unknown = () => undefined;

  constructor(kind: string) {
    this.kind = kind;
  }

  get buttonEl() {
    return this.el;
  }

  get inputEl() {
    return this.el;
  }

  get selectEl() {
    return this.el;
  }

  setButtonText(text: string): this {
    this.text = text;
    return this;
  }

  setIcon(_icon: string): this {
    return this;
  }

  setTooltip(text: string): this {
    if (this.text === '') this.text = text;
    return this;
  }

  setPlaceholder(_text: string): this {
    return this;
  }

  setCta(): this {
    return this;
  }

  setWarning(): this {
    return this;
  }

  setDestructive(): this {
    return this;
  }

  setDisabled(isDisabled: boolean): this {
    this.isDisabled = isDisabled;
    return this;
  }

  setLimits(_min: number, _max: number, _step: number): this {
    return this;
  }

  setDynamicTooltip(): this {
    return this;
  }

  addOption(value: string, text: string): this {
    this.options[value] = text;
    return this;
  }

  addOptions(options: Record<string, string>): this {
    Object.assign(this.options, options);
    return this;
  }

  setValue(value: unknown): this {
    this.value = value;
    return this;
  }

  getValue(): unknown {
    return this.value;
  }

  onChange(changed: (value: never) => unknown): this {
    this.#changed = changed;
    return this;
  }

  onClick(clicked: (event: unknown) => unknown): this {
    this.#clicked = clicked;
    return this;
  }

  /** Does what a person does who clicks. */
  async click(): Promise<void> {
    if (!this.isDisabled) await this.#clicked({});
  }

  /** Does what a person does who chooses or types a value. */
  async change(value: unknown): Promise<void> {
    if (this.isDisabled) return;
    this.value = value;
    await this.#changed(value as never);
  }
}

/** A row of settings (api: Setting). */
export class Setting {
  readonly settingEl: StandInElement;
  readonly nameEl: StandInElement;
  readonly descEl: StandInElement;
  readonly controlEl: StandInElement;
  readonly components: StandInControl[] = [];
  isHeading = false;

  constructor(container: StandInElement) {
    this.settingEl = container.createDiv({ cls: 'setting-item' });
    this.nameEl = this.settingEl.createDiv({ cls: 'setting-item-name' });
    this.descEl = this.settingEl.createDiv({ cls: 'setting-item-description' });
    this.controlEl = this.settingEl.createDiv({ cls: 'setting-item-control' });
    settings.set(this.settingEl, this);
  }

  setName(name: string): this {
    this.nameEl.setText(name);
    return this;
  }

  setDesc(text: string): this {
    this.descEl.setText(text);
    return this;
  }

  setHeading(): this {
    this.isHeading = true;
    return this;
  }

  setClass(name: string): this {
    this.settingEl.addClass(name);
    return this;
  }

  setDisabled(isDisabled: boolean): this {
    for (const control of this.components) control.setDisabled(isDisabled);
    return this;
  }

  clear(): this {
    this.components.length = 0;
    this.controlEl.empty();
    return this;
  }

  readonly addButton = this.#adder('button');
  readonly addExtraButton = this.#adder('extra-button');
  readonly addToggle = this.#adder('toggle');
  readonly addText = this.#adder('text');
  readonly addTextArea = this.#adder('text-area');
  readonly addDropdown = this.#adder('dropdown');
  readonly addSlider = this.#adder('slider');

  #adder(kind: string) {
    return (use: (control: StandInControl) => unknown): this => {
      const control = new StandInControl(kind);
      this.controlEl.appendChild(control.el);
      this.components.push(control);
      use(control);
      return this;
    };
  }
}

const settings = new WeakMap<StandInElement, Setting>();

/** Returns the rows in an element, in order. */
export function settingsIn(element: StandInElement): Setting[] {
  return element.all.flatMap((one) => settings.get(one) ?? []);
}
