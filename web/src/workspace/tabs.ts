/** The tabs of a vault. One of them is shown, or two beside each other. */
export interface Tabs {
  /** The notes that have a tab, in order. */
  readonly ids: readonly string[];
  /** The one or two that are shown, from the left; none before a note was opened. */
  readonly shown: readonly string[];
  /** Index of the tab with the focus. */
  readonly at: number;
  /** Closed tabs, the last one first, with their positions. */
  readonly closed: readonly { readonly id: string; readonly place: number }[];
}

/** Where a note is opened: in place of the one that has the focus, in a tab of its own, beside it, or behind it. */
export type TabPlace = 'here' | 'tab' | 'beside' | 'behind';

export const NO_TABS: Tabs = { ids: [], shown: [], at: 0, closed: [] };
/** Maximum tabs; it also bounds the stored state. */
const MOST = 60;
const MOST_CLOSED = 20;

/** The note that has the focus; undefined without any tab. */
export function focusedOf({ shown, at }: Tabs): string | undefined {
  return shown[at];
}

/** The tabs when the address names a note: its tab is shown, or it takes the place of the one that has the focus. */
export function showTab(tabs: Tabs, id: string): Tabs {
  const at = tabs.shown.indexOf(id);
  if (at === tabs.at && tabs.ids.includes(id)) return tabs;
  if (at >= 0) return { ...tabs, at };
  const focused = focusedOf(tabs);
  const shown = focused === undefined ? [id] : tabs.shown.map((one) => (one === focused ? id : one));
  if (tabs.ids.includes(id)) return { ...tabs, shown };
  const ids = focused === undefined ? [...tabs.ids, id] : tabs.ids.map((one) => (one === focused ? id : one));
  return { ...tabs, ids, shown };
}

/** Returns the tabs after a note was opened. The caller navigates to its address, unless it opens in the background. */
export function placeTab(tabs: Tabs, id: string, place: TabPlace): Tabs {
  const focused = focusedOf(tabs);
  if (place === 'here' || (focused === undefined && place !== 'behind')) return showTab(tabs, id);
  const after = place === 'behind' ? tabs.ids.length : tabs.ids.indexOf(focused ?? '') + 1;
  const ids = tabs.ids.includes(id) ? tabs.ids : limited(inserted(tabs.ids, id, after), [...tabs.shown, id]);
  if (place === 'behind') return { ...tabs, ids };
  if (place === 'tab' || focused === undefined || tabs.shown.includes(id)) return showTab({ ...tabs, ids }, id);
  const left = tabs.shown[0] ?? focused;
  return { ...tabs, ids, shown: [left, id], at: 1 };
}

/** Returns the tabs without one. The tab beside it, or the next one, is shown instead. */
export function closeTab(tabs: Tabs, id: string): Tabs {
  const place = tabs.ids.indexOf(id);
  if (place < 0) return tabs;
  const ids = tabs.ids.filter((one) => one !== id);
  const closed = [{ id, place }, ...tabs.closed.filter((one) => one.id !== id)].slice(0, MOST_CLOSED);
  if (!tabs.shown.includes(id)) return { ...tabs, ids, closed };
  const others = tabs.shown.filter((one) => one !== id);
  const next = ids[Math.min(place, ids.length - 1)];
  const shown = others.length > 0 || next === undefined ? others : [next];
  return { ids, shown, at: 0, closed };
}

/** Shows only the note that has the focus; the one beside it keeps its tab. */
export function closeSplit(tabs: Tabs): Tabs {
  const focused = focusedOf(tabs);
  return focused === undefined || tabs.shown.length < 2 ? tabs : { ...tabs, shown: [focused], at: 0 };
}

/** The tabs with the one that was closed last, where it was, and its id; null if none was. */
export function reopenTab(
  tabs: Tabs,
  exists: (id: string) => boolean,
): { readonly tabs: Tabs; readonly id: string } | null {
  const found = tabs.closed.findIndex(({ id }) => exists(id) && !tabs.ids.includes(id));
  const last = tabs.closed[found];
  if (last === undefined) return null;
  const ids = inserted(tabs.ids, last.id, last.place);
  return { tabs: { ...tabs, ids, closed: tabs.closed.slice(found + 1) }, id: last.id };
}

/** The tabs with one of them at another place. */
export function moveTab(tabs: Tabs, id: string, place: number): Tabs {
  const from = tabs.ids.indexOf(id);
  const to = Math.max(0, Math.min(place, tabs.ids.length - 1));
  if (from < 0 || from === to) return tabs;
  const others = tabs.ids.filter((one) => one !== id);
  return { ...tabs, ids: inserted(others, id, to) };
}

/** The tab that is some places after the one that has the focus, around the end. */
export function tabAfter(tabs: Tabs, steps: number): string | undefined {
  const at = tabs.ids.indexOf(focusedOf(tabs) ?? '');
  return at < 0 ? tabs.ids[0] : tabs.ids.at((at + steps) % tabs.ids.length);
}

/** The tabs of notes that there are; those that are shown stay, for the page says what became of them. */
export function existingTabs(tabs: Tabs, exists: (id: string) => boolean): Tabs {
  const ids = tabs.ids.filter((id) => tabs.shown.includes(id) || exists(id));
  return ids.length === tabs.ids.length ? tabs : { ...tabs, ids };
}

/** Parses stored tabs; invalid ones are dropped. */
export function readTabs(stored: unknown): Tabs {
  const raw: Readonly<Record<string, unknown>> = typeof stored === 'object' && stored !== null ? { ...stored } : {};
  const texts = (list: unknown) => (Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []);
  const ids = [...new Set<string>(texts(raw.ids))].slice(0, MOST);
  const shown = [...new Set<string>(texts(raw.shown))].filter((id) => ids.includes(id)).slice(0, 2);
  return {
    ids,
    shown: shown.length === 0 ? ids.slice(0, 1) : shown,
    at: raw.at === 1 && shown.length === 2 ? 1 : 0,
    closed: [],
  };
}

function inserted(ids: readonly string[], id: string, place: number): string[] {
  return [...ids.slice(0, place), id, ...ids.slice(place)];
}

/** Drops the first tab that is not needed if there are too many. */
function limited(ids: readonly string[], needed: readonly string[]): readonly string[] {
  const dropped = ids.length > MOST ? ids.find((id) => !needed.includes(id)) : undefined;
  return ids.filter((id) => id !== dropped);
}
