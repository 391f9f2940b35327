import type { Parser } from '@lezer/common';
import { parser as cpp } from '@lezer/cpp';
import { parser as css } from '@lezer/css';
import { parser as go } from '@lezer/go';
import { parser as html } from '@lezer/html';
import { parser as java } from '@lezer/java';
import { parser as javascript } from '@lezer/javascript';
import { parser as json } from '@lezer/json';
import { parser as php } from '@lezer/php';
import { parser as python } from '@lezer/python';
import { parser as rust } from '@lezer/rust';
import { parser as sass } from '@lezer/sass';
import { parser as xml } from '@lezer/xml';
import { parser as yaml } from '@lezer/yaml';

const typescript = javascript.configure({ dialect: 'ts' });

/** The grammars of the editor's languages that need no editor, by the names that fences use. */
const LANGUAGES: readonly (readonly [string, Parser])[] = [
  ['c cc cpp c++ h hpp arduino', cpp],
  ['css', css],
  ['go golang', go],
  ['html vue svelte', html],
  ['java', java],
  ['js javascript mjs cjs node jsx', javascript.configure({ dialect: 'jsx' })],
  ['ts typescript mts cts', typescript],
  ['tsx', javascript.configure({ dialect: 'jsx ts' })],
  ['json jsonc json5 geojson', json],
  ['php', php],
  ['py python python3', python],
  ['rs rust', rust],
  ['sass', sass],
  ['scss less', css],
  ['xml svg rss xsl', xml],
  ['yaml yml', yaml],
];

const BY_NAME = new Map(
  LANGUAGES.flatMap(([names, parser]) => names.split(' ').map((name) => [name, parser] as const)),
);

/** Returns the parser of the language that the info of a fence names; null for one that is shown without colours. */
export function languageParser(info: string): Parser | null {
  const name = /^[\w#+.-]+/.exec(info.trim())?.[0] ?? '';
  return BY_NAME.get(name.toLowerCase()) ?? null;
}
