import { getLanguage } from 'obsidian';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { ja } from './ja.ts';

export type TextKey = keyof typeof en;

const LANGUAGES: Readonly<Record<string, Texts>> = { en, de, ja };

/** A text in the language of the app. */
export function text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const found = (LANGUAGES[getLanguage().slice(0, 2)] ?? en)[key];
  return found.replace(/\{(\w+)\}/g, (all, name: string) => `${values[name] ?? all}`);
}

/** A time as people read it. */
export function timeText(at: number): string {
  return new Date(at).toLocaleString(getLanguage());
}
