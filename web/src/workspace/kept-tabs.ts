import { ObservableValue } from '../platform/observable.ts';
import { accountStorage } from '../session/own-device.ts';
import { editorSettings } from './editor-settings.ts';
import { readTabs, type Tabs } from './tabs.ts';
import { workspace } from './workspace.ts';

const opened = new Map<string, ObservableValue<Tabs>>();

/** The tabs of a vault in this window. A new window begins with those that were changed last on this device. */
export function tabsOf(vault: string): ObservableValue<Tabs> {
  const known = opened.get(vault);
  if (known !== undefined) return known;
  const name = `notevault-tabs-${vault}`;
  const tabs = new ObservableValue(readTabs(parsed(sessionStorage.getItem(name) ?? accountStorage().getItem(name))));
  let before = tabs.get();
  tabs.subscribe(() => {
    const { ids, shown, at } = tabs.get();
    // A note that is opened again is edited, whether or not it was read.
    for (const id of before.ids) if (!ids.includes(id)) workspace.note(id).setMode(editorSettings.get().writing);
    before = tabs.get();
    const text = JSON.stringify({ ids, shown, at });
    for (const storage of new Set([sessionStorage, accountStorage()])) keep(storage, name, text);
  });
  opened.set(vault, tabs);
  return tabs;
}

/** Forgets the tabs of the previous account. */
export function forgetTabs(): void {
  opened.clear();
}

/** Without room, the tabs last as long as the page. */
function keep(storage: Storage, name: string, text: string): void {
  try {
    storage.setItem(name, text);
  } catch {
    storage.removeItem(name);
  }
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
