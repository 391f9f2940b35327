import { filled, readReason, type Values } from '@notevault/sync/rules/reasons.ts';
import { getLanguage } from 'obsidian';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { ja } from './ja.ts';
import { de as reasonsDe } from './reasons/de.ts';
import { type ReasonTexts, en as reasonsEn } from './reasons/en.ts';
import { ja as reasonsJa } from './reasons/ja.ts';

export type TextKey = keyof typeof en;

const LANGUAGES: Readonly<Record<string, Texts>> = { en, de, ja };
const REASONS: Readonly<Record<string, ReasonTexts>> = { en: reasonsEn, de: reasonsDe, ja: reasonsJa };

const language = () => getLanguage().slice(0, 2);

/** Returns a text in the app's language. */
export function text(key: TextKey, values: Values = {}): string {
  return filled((LANGUAGES[language()] ?? en)[key], values);
}

/** Translates a reason from the engine or disk into the app's language; returns unknown reasons unchanged. */
export function reasonText(said: string): string {
  const found = readReason(said, reasonsEn);
  if (found === null) return said;
  const { fault, ...values } = found.values;
  const all = fault === undefined ? values : { ...values, fault: reasonText(fault) };
  return filled((REASONS[language()] ?? reasonsEn)[found.code], all);
}

/** Formats a time in the app's language. */
export function timeText(at: number): string {
  return new Date(at).toLocaleString(getLanguage());
}
