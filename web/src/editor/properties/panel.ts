import type { EditorStrings } from '../core/strings.ts';
import { button, element } from '../preview/widget-base.ts';
import { propertyChips } from './chips.ts';
import {
  addItem,
  addProperty,
  removeItem,
  removeProperty,
  renameProperty,
  setItem,
  setValue,
  type YamlEdit,
} from './edits.ts';
import { type Property, readProperties } from './model.ts';

/** Actions of a properties panel. */
export interface PanelActions {
  /** Applies an edit to the current YAML; returns false if nothing changed. */
  change(edit: (yaml: string) => YamlEdit | null): boolean;
  editAsText(): void;
}

interface Draft {
  readonly name: string;
  readonly typed: string | null;
}

type EditOf = (yaml: string, property: Property) => YamlEdit | null;

/** The properties panel: chips, or rows of fields while editing. */
export class PropertiesPanel {
  readonly isReadOnly: boolean;
  readonly #parent: HTMLElement;
  readonly #strings: EditorStrings;
  readonly #actions: PanelActions;
  /** Whether the panel is being rendered. Removed fields then lose the focus, which must not change the text. */
  #isDrawing = false;
  #isOpen = false;
  #yaml = '';

  constructor(parent: HTMLElement, strings: EditorStrings, isReadOnly: boolean, actions: PanelActions) {
    this.#parent = parent;
    this.#strings = strings;
    this.#actions = actions;
    this.isReadOnly = isReadOnly;
    parent.addEventListener('focusout', ({ relatedTarget }) => {
      const isLeft = !(relatedTarget instanceof Node && parent.contains(relatedTarget));
      // Runs after the field that lost the focus has saved its text.
      if (this.#isOpen && !this.#isDrawing && isLeft && document.hasFocus()) queueMicrotask(() => this.#close());
    });
  }

  /** Renders the properties of a YAML; returns false if they cannot be shown as rows. */
  draw(yaml: string): boolean {
    const properties = readProperties(yaml);
    if (properties === null) return false;
    this.#yaml = yaml;
    if (!this.#isOpen) {
      this.#show(propertyChips(properties, this.#strings, this.isReadOnly ? null : (focus) => this.#open(focus)));
      return true;
    }
    const draft = this.#draft();
    const list = element('div', 'nv-property-rows');
    list.append(...properties.map((property) => this.#row(property)));
    list.append(this.#footer());
    this.#show(list);
    if (draft !== null) this.#restore(draft);
    return true;
  }

  #show(list: HTMLElement): void {
    // The panel's texts are in the app's language, even in a note that names another one.
    const { lang, dir } = document.documentElement;
    Object.assign(list, { lang, dir });
    list.setAttribute('role', 'group');
    list.setAttribute('aria-label', this.#strings.properties);
    this.#isDrawing = true;
    this.#parent.replaceChildren(list);
    this.#isDrawing = false;
  }

  /** Shows fields instead of chips, and focuses one of them. */
  #open(focus: string): void {
    this.#isOpen = true;
    this.draw(this.#yaml);
    const input = [...this.#parent.querySelectorAll<HTMLElement>('[data-focus]')].find(
      ({ dataset }) => dataset.focus === focus,
    );
    (input ?? this.#parent.querySelector<HTMLElement>('input, button'))?.focus();
  }

  #close(): void {
    this.#isOpen = false;
    this.draw(this.#yaml);
  }

  /** Returns the focused field with its unsaved text. */
  #draft(): Draft | null {
    const active = document.activeElement;
    if (!(active instanceof HTMLInputElement) || !this.#parent.contains(active)) return null;
    const typed = active.value === active.defaultValue ? null : active.value;
    return { name: active.dataset.focus ?? '', typed };
  }

  /** Restores the focus and unsaved text after the panel was rendered again because of somebody else's edit. */
  #restore({ name, typed }: Draft): void {
    const input = this.#parent.querySelector<HTMLInputElement>(`[data-focus="${CSS.escape(name)}"]`);
    input?.focus();
    if (input && typed !== null && input.type !== 'checkbox') input.value = typed;
  }

  #row(property: Property): HTMLElement {
    const row = element('div', `nv-property nv-property-kind-${property.kind}`);
    row.append(this.#name(property), this.#value(property));
    const remove = button('nv-property-remove', '×', () => this.#change(property, (_yaml, one) => removeProperty(one)));
    remove.setAttribute('aria-label', `${this.#strings.removeProperty}: ${property.key}`);
    row.append(remove);
    return row;
  }

  #name(property: Property): HTMLElement {
    const label = `${this.#strings.propertyName}: ${property.key}`;
    return this.#input('nv-property-name', property.key, `name ${property.key}`, label, (text) =>
      this.#change(property, (yaml, one) => renameProperty(yaml, one, text)),
    );
  }

  #value(property: Property): HTMLElement {
    if (property.kind === 'list') return this.#list(property);
    if (property.kind === 'other') {
      const shown = element('code', 'nv-property-source', property.source.slice(0, 2_000));
      return shown;
    }
    const text = property.scalar?.text ?? '';
    if (property.kind === 'checkbox') return this.#checkbox(property, text === 'true');
    const input = this.#input('nv-property-value', text, `value ${property.key}`, property.key, (value) =>
      this.#change(property, (_yaml, one) => setValue(one, value)),
    );
    if (property.kind === 'date') input.type = 'date';
    return input;
  }

  #checkbox(property: Property, isOn: boolean): HTMLElement {
    const box = element('input', 'nv-property-checkbox');
    box.type = 'checkbox';
    box.checked = isOn;
    box.dataset.focus = `value ${property.key}`;
    box.setAttribute('aria-label', property.key);
    box.addEventListener('change', () => {
      this.#change(property, (_yaml, one) => setValue(one, String(box.checked)));
    });
    // The label enlarges the touch target.
    const label = element('label', 'nv-property-box');
    label.append(box);
    return label;
  }

  #list(property: Property): HTMLElement {
    const list = element('span', 'nv-property-items');
    for (const [index, item] of property.items.entries()) {
      const pill = element('span', 'nv-property-item');
      const edit = this.#input('', item.text, `item ${index} ${property.key}`, `${property.key} ${index + 1}`, (text) =>
        this.#change(property, (yaml, one) => (text === '' ? removeItem(yaml, one, index) : setItem(one, index, text))),
      );
      edit.size = Math.max(2, item.text.length);
      const remove = button('nv-property-remove', '×', () =>
        this.#change(property, (yaml, one) => removeItem(yaml, one, index)),
      );
      remove.setAttribute('aria-label', `${this.#strings.removeItem}: ${item.text}`);
      pill.append(edit, remove);
      list.append(pill);
    }
    list.append(this.#newItem(property));
    return list;
  }

  #newItem(property: Property): HTMLElement {
    const label = `${this.#strings.addItem}: ${property.key}`;
    const input = this.#input('nv-property-new', '', `item new ${property.key}`, label, (text) => {
      if (text !== '') this.#change(property, (yaml, one) => addItem(yaml, one, text));
    });
    input.placeholder = '+';
    input.size = 4;
    return input;
  }

  #footer(): HTMLElement {
    const footer = element('div', 'nv-property-footer');
    const strings = this.#strings;
    const name = this.#input('nv-property-new', '', 'new', strings.addProperty, (text) => {
      if (text !== '') this.#actions.change((yaml) => addProperty(yaml, text));
    });
    name.placeholder = `+ ${strings.addProperty}`;
    footer.append(
      name,
      button('nv-properties-text', strings.editAsText, () => this.#actions.editAsText()),
    );
    return footer;
  }

  /** Creates a field that saves its text on Enter or when it loses the focus, and discards it on Escape. */
  #input(
    className: string,
    text: string,
    focus: string,
    label: string,
    take: (text: string) => void,
  ): HTMLInputElement {
    const input = element('input', `nv-property-input ${className}`);
    input.defaultValue = text;
    input.dataset.focus = focus;
    input.setAttribute('aria-label', label);
    const commit = () => {
      const { value, defaultValue } = input;
      if (this.#isDrawing || value === defaultValue) return;
      input.defaultValue = value;
      take(value);
    };
    input.addEventListener('blur', commit);
    input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.isComposing) return;
      if (event.key === 'Enter') commit();
      else if (event.key === 'Escape' && input.value !== input.defaultValue) input.value = input.defaultValue;
      else if (event.key === 'Escape') {
        this.#close();
        this.#parent.querySelector('button')?.focus();
      }
    });
    return input;
  }

  #change(property: Property, edit: EditOf): void {
    this.#actions.change((yaml) => {
      const current = readProperties(yaml)?.find(({ key }) => key === property.key);
      return current === undefined ? null : edit(yaml, current);
    });
  }
}
