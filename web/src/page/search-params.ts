import type { ActivityAction } from '@notevault/protocol/activity.ts';

/** Parameters in the address of the search page. */
export interface SearchParams {
  readonly q?: string;
  readonly folder?: string;
  readonly tag?: string;
  readonly mode?: 'keyword' | 'vector';
  /** In which order, if not the best first. */
  readonly sort?: SearchSort;
}

export const SEARCH_SORTS = ['changed', 'name'] as const;
export type SearchSort = (typeof SEARCH_SORTS)[number];

export const PANELS = ['outline', 'links', 'files', 'graph', 'history'] as const;
export type PanelName = (typeof PANELS)[number];

/** Parameters in the address of a note. */
export interface NoteParams {
  readonly panel?: PanelName | undefined;
  /** The version that is shown in place of the note, beside its history. */
  readonly version?: number;
}

/** The steps after the account was made. */
export const WELCOME_STEPS = ['notes', 'connect', 'checks'] as const;
export type WelcomeStep = (typeof WELCOME_STEPS)[number];

/** Parameters in the address of the first page. */
export interface WelcomeParams {
  readonly welcome?: WelcomeStep;
  /** Dialog that a shortcut of the installed app opens. */
  readonly open?: 'search';
}

export const TASK_ORDERS = ['due', 'note', 'tag'] as const;
export type TaskOrder = (typeof TASK_ORDERS)[number];

/** Parameters in the address of the tasks page; by default it shows open tasks by day. */
export interface TaskParams {
  readonly state?: 'done';
  readonly tag?: string;
  readonly by?: Exclude<TaskOrder, 'due'>;
}

export const ACTIVITY_KINDS = [
  ...(['write', 'delete', 'move', 'restore', 'import', 'undo', 'people', 'purge'] as const),
] satisfies readonly ActivityAction[];

/** Parameters in the address of the activity page. */
export interface ActivityParams {
  /** User id of a person. */
  readonly actor?: string;
  readonly action?: ActivityAction;
  /** Id of the note whose activity is shown. */
  readonly note?: string;
}

/** Parameters in the address of the graph. */
export interface GraphParams {
  /** Search query. */
  readonly q?: string;
  /** The id of the chosen note. */
  readonly note?: string;
  /** Set when notes without links are left out. */
  readonly linked?: true;
  /** Grouping of the notes by colour, if not by folder. */
  readonly by?: 'tag' | 'none';
  /** The only group of notes that is shown. */
  readonly only?: string;
}

type Raw = Readonly<Record<string, unknown>>;

export function searchParams(raw: Raw): SearchParams {
  const mode = raw.mode === 'keyword' || raw.mode === 'vector' ? raw.mode : undefined;
  const sort = SEARCH_SORTS.find((order) => order === raw.sort);
  return {
    ...texts(raw, ['q', 'folder', 'tag']),
    ...(mode === undefined ? {} : { mode }),
    ...(sort === undefined ? {} : { sort }),
  };
}

export function noteParams(raw: Raw): NoteParams {
  const panel = PANELS.find((name) => name === raw.panel);
  const isVersion = panel === 'history' && Number.isSafeInteger(raw.version);
  return { ...(panel === undefined ? {} : { panel }), ...(isVersion ? { version: Number(raw.version) } : {}) };
}

export function welcomeParams(raw: Raw): WelcomeParams {
  const welcome = WELCOME_STEPS.find((step) => step === raw.welcome);
  return { ...(welcome === undefined ? {} : { welcome }), ...(raw.open === 'search' ? { open: 'search' } : {}) };
}

export function graphParams(raw: Raw): GraphParams {
  const by = raw.by === 'tag' || raw.by === 'none' ? raw.by : undefined;
  return {
    ...texts(raw, ['q', 'note']),
    ...(raw.linked === true ? { linked: true } : {}),
    ...(by === undefined ? {} : { by }),
    // The group of the notes in the root has no name.
    ...(typeof raw.only === 'string' ? { only: raw.only } : {}),
  };
}

export function taskParams(raw: Raw): TaskParams {
  const by = (['note', 'tag'] as const).find((order) => order === raw.by);
  return {
    ...texts(raw, ['tag']),
    ...(raw.state === 'done' ? { state: 'done' } : {}),
    ...(by === undefined ? {} : { by }),
  };
}

export function activityParams(raw: Raw): ActivityParams {
  const action = ACTIVITY_KINDS.find((one) => one === raw.action);
  return { ...texts(raw, ['actor', 'note']), ...(action === undefined ? {} : { action }) };
}

/** Reads the text to replace from the address. */
export function replaceParams(raw: Raw): { readonly q?: string } {
  return texts(raw, ['q']);
}

export function tagParams(raw: Raw): { readonly tag?: string } {
  return texts(raw, ['tag']);
}

/** The texts under some names; a number in the address is a text too. */
function texts<Name extends string>(raw: Raw, names: readonly Name[]): Partial<Record<Name, string>> {
  const present = names.flatMap((name) => {
    const value = raw[name];
    return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [];
  });
  return Object.fromEntries(present.filter(([, value]) => value !== '')) as Partial<Record<Name, string>>;
}
