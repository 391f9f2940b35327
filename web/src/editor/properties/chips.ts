import type { EditorStrings } from '../core/strings.ts';
import { button, drawn, element } from '../preview/widget-base.ts';
import type { Property } from './model.ts';

const TAGS: ReadonlySet<string> = new Set(['tags', 'tag']);
const CALENDAR = 'M4 7a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zM4 10h16M8 3v4M16 3v4';

/**
 * Creates the properties of a note as a row of chips. @param open opens a property by name for editing; null if nothing
 * can be edited.
 */
export function propertyChips(
  properties: readonly Property[],
  strings: EditorStrings,
  open: ((focus: string) => void) | null,
): HTMLElement {
  const row = element('div', 'nv-chips');
  const chip = (className: string, focus: string, ...parts: (Node | string)[]) => {
    const made = open === null ? element('span', className) : button(className, '', () => open(focus));
    made.append(...parts);
    row.append(made);
  };
  for (const property of properties) {
    const { key, kind, items } = property;
    if (kind === 'list' && TAGS.has(key.toLowerCase())) {
      for (const [at, { text }] of items.entries()) chip('nv-chip nv-chip-tag', `item ${at} ${key}`, `#${text}`);
    } else if (kind === 'list')
      chip('nv-chip', `item new ${key}`, name(key), strong(items.map(({ text }) => text).join(', ')));
    else if (kind === 'other') chip('nv-chip', `name ${key}`, name(key), strong('…'));
    else if (kind === 'date')
      chip(
        'nv-chip',
        `value ${key}`,
        drawn(CALENDAR),
        key.toLowerCase() === 'date' ? '' : name(key),
        strong(dateText(property.scalar?.text ?? '')),
      );
    else if (kind === 'checkbox')
      chip('nv-chip', `value ${key}`, name(key), strong(property.scalar?.text === 'true' ? '✓' : '–'));
    else chip('nv-chip', `value ${key}`, name(key), strong(property.scalar?.text ?? ''));
  }
  if (open !== null) chip('nv-chip nv-chip-add', 'new', `+ ${strings.add}`);
  return row;
}

/** Creates the name of a property, followed by a space so that screen readers separate it from the value. */
function name(key: string): HTMLElement {
  return element('span', '', `${key} `);
}

function strong(text: string): HTMLElement {
  return element('b', '', text);
}

/** Formats a date for display, with the year if it is not the current one. */
function dateText(text: string): string {
  const date = new Date(`${text}T00:00`);
  if (Number.isNaN(date.getTime())) return text;
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  const form: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'long' };
  if (!isThisYear) form.year = 'numeric';
  return date.toLocaleDateString(document.documentElement.lang, form);
}
