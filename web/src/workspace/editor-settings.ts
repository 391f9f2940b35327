import type { Preferences } from '@notevault/protocol/personal.ts';
import type { EditorAppearance } from '../editor/index.ts';
import { storedValue } from '../platform/stored.ts';

/** Under which name the account remembers a setting: each its own, so that the last change of each counts. */
const nameOf = (setting: string) => `editor:${setting}`;

export const LINE_WIDTHS = ['narrow', 'normal', 'wide', 'full'] as const;
export type LineWidth = (typeof LINE_WIDTHS)[number];

/** How somebody likes to write. This browser has a copy, which counts until the account's is read. */
export interface EditorSettings {
  readonly lineWidth: LineWidth;
  readonly hasLineNumbers: boolean;
  readonly isSpellChecked: boolean;
  readonly isVim: boolean;
  /** In which mode notes are edited. */
  readonly writing: 'preview' | 'source';
  /** Only in this browser, from before accounts remembered them. Null for the name that the language gives them. */
  readonly templateFolder: string | null;
  readonly dailyFolder: string | null;
}

const DEFAULTS: EditorSettings = {
  lineWidth: 'normal',
  hasLineNumbers: false,
  isSpellChecked: true,
  isVim: false,
  writing: 'preview',
  templateFolder: null,
  dailyFolder: null,
};

/** Parses stored settings; missing or invalid values get their defaults. */
export function readEditorSettings(stored: unknown): EditorSettings {
  const raw: Readonly<Record<string, unknown>> = typeof stored === 'object' && stored !== null ? { ...stored } : {};
  const flag = (name: 'hasLineNumbers' | 'isSpellChecked' | 'isVim') =>
    typeof raw[name] === 'boolean' ? raw[name] : DEFAULTS[name];
  const folder = (name: 'templateFolder' | 'dailyFolder') =>
    typeof raw[name] === 'string' ? raw[name].trim().replace(/^\/+|\/+$/g, '') || null : null;
  return {
    lineWidth: LINE_WIDTHS.find((width) => width === raw.lineWidth) ?? DEFAULTS.lineWidth,
    hasLineNumbers: flag('hasLineNumbers'),
    isSpellChecked: flag('isSpellChecked'),
    isVim: flag('isVim'),
    writing: raw.writing === 'source' ? 'source' : 'preview',
    templateFolder: folder('templateFolder'),
    dailyFolder: folder('dailyFolder'),
  };
}

export const editorSettings = storedValue('notevault-editor', readEditorSettings);

type SettingsChange = Readonly<Partial<Record<(typeof OF_ACCOUNT)[number], unknown>>>;
const OF_ACCOUNT = ['lineWidth', 'hasLineNumbers', 'isSpellChecked', 'isVim', 'writing'] as const;

/** Settings changed here that the account has not stored yet. */
export const unsentSettings = storedValue(
  'notevault-editor-unsent',
  (stored): SettingsChange => (typeof stored === 'object' && stored !== null ? stored : {}),
);

/** Changes some settings. */
export function changeEditorSettings(changed: Partial<EditorSettings> & SettingsChange): void {
  editorSettings.set({ ...editorSettings.get(), ...changed });
  unsentSettings.set({ ...unsentSettings.get(), ...changed });
}

/** Returns the account's settings, with the changes made here since. */
export function settingsOf(here: EditorSettings, unsent: SettingsChange, preferences: Preferences): EditorSettings {
  const remembered = OF_ACCOUNT.filter((name) => !(name in unsent) && nameOf(name) in preferences);
  return readEditorSettings({
    ...here,
    ...Object.fromEntries(remembered.map((name) => [name, preferences[nameOf(name)]])),
  });
}

/** Applies the account's settings. */
export function takeSettings(preferences: Preferences): void {
  const here = editorSettings.get();
  const next = settingsOf(here, unsentSettings.get(), preferences);
  if (JSON.stringify(next) !== JSON.stringify(here)) editorSettings.set(next);
}

/** Converts changed settings to preferences of the account. */
export function asPreferences(changed: SettingsChange): Preferences {
  return Object.fromEntries(Object.entries(changed).map(([name, value]) => [nameOf(name), value]));
}

/** Returns the changes that remain unsent after some were stored: those that were changed again meanwhile. */
export function unsentAfter(unsent: SettingsChange, sent: SettingsChange): SettingsChange {
  const had = new Map(Object.entries(sent));
  return Object.fromEntries(Object.entries(unsent).filter(([name, value]) => had.get(name) !== value));
}

const WIDTHS: Readonly<Record<LineWidth, string>> = {
  narrow: '54ch',
  normal: 'var(--measure)',
  wide: '84ch',
  full: 'none',
};

/** The settings that the editor draws. */
export function lookOf({ lineWidth, hasLineNumbers, isSpellChecked }: EditorSettings): EditorAppearance {
  return { lineWidth: WIDTHS[lineWidth], hasLineNumbers, isSpellChecked };
}
