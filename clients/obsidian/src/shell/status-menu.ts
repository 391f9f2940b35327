import { type App, Menu } from 'obsidian';
import { type TextKey, text } from '../texts/texts.ts';
import { factTexts, stateText } from './facts-texts.ts';
import { actsOf, StatusModal } from './status-modal.ts';
import type { SyncController } from './sync-controller.ts';

/** Builds the ribbon menu, which also exists on phones: the sync state and available actions. */
export function statusMenu(
  app: App,
  controller: SyncController,
  others: readonly (readonly [TextKey, () => unknown])[],
): Menu {
  const menu = new Menu();
  const add = (name: string, act: () => unknown) => menu.addItem((item) => item.setTitle(name).onClick(act));
  const facts = factTexts(controller.facts);
  const needs = controller.facts.needs > 0 ? facts.pop() : undefined;
  for (const fact of [stateText(controller.facts), ...facts])
    menu.addItem((item) => item.setTitle(fact).setIsLabel(true));
  if (needs !== undefined) add(needs, () => new StatusModal(app, controller).open());
  menu.addSeparator();
  for (const { name, act } of actsOf(app, controller)) add(name, act);
  menu.addSeparator();
  for (const [key, act] of others) add(text(key), act);
  return menu;
}
