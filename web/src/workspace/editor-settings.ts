import type { EditorLook } from '../editor/index.ts';
import { storedValue } from '../platform/stored.ts';

export const LINE_WIDTHS = ['narrow', 'normal', 'wide', 'full'] as const;
export type LineWidth = (typeof LINE_WIDTHS)[number];

/** How somebody likes to write, in this browser. */
export interface EditorSettings {
  readonly lineWidth: LineWidth;
  readonly hasLineNumbers: boolean;
  readonly isSpellChecked: boolean;
  readonly isVim: boolean;
  /** In which mode notes are edited. */
  readonly writing: 'preview' | 'source';
  /** Null for the name that the language gives them. */
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

/** Reads settings from what was stored; what is missing or makes no sense gets its default. */
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

/** Changes some settings. */
export function changeEditorSettings(changed: Partial<EditorSettings>): void {
  editorSettings.set({ ...editorSettings.get(), ...changed });
}

const WIDTHS: Readonly<Record<LineWidth, string>> = {
  narrow: '54ch',
  normal: 'var(--measure)',
  wide: '84ch',
  full: 'none',
};

/** The settings that the editor draws. */
export function lookOf({ lineWidth, hasLineNumbers, isSpellChecked }: EditorSettings): EditorLook {
  return { lineWidth: WIDTHS[lineWidth], hasLineNumbers, isSpellChecked };
}
