import { bestMatches, isSameName } from '@notevault/note-text/names/match.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { openedQuery, searchQuery, tagsQuery } from '../../data/queries.ts';
import { useTree } from '../../data/use-tree.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { isNarrow } from '../../platform/narrow.ts';
import { Icon } from '../../ui/controls/icon.tsx';
import { Picker, type PickerItem } from '../../ui/controls/picker.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { onApple, shownKeys } from '../../ui/text/shortcut.ts';
import { bestMark } from '../../workspace/result-place.ts';
import type { TabPlace } from '../../workspace/tabs.ts';
import { workspace } from '../../workspace/workspace.ts';
import type { Action, ActionContext } from './action.ts';
import { keysOf } from './actions.ts';
import { possibleActions } from './all-actions.ts';
import { headingsElsewhere, outlineOf } from './found-headings.ts';

interface FinderProps {
  readonly context: ActionContext;
  readonly openNote: (id: string, place: TabPlace, heading?: string) => void;
  readonly createNote: (name: string, place: TabPlace) => void;
  /** How a note is opened: in a new tab with Control or Command, beside the open one with Alt. */
  readonly place: TabPlace;
  /** Text typed before the field was shown. */
  readonly typed: RefObject<string>;
  readonly close: () => void;
}

/** Returns a function that runs an action after the dialog has closed. */
type After = (act: () => void) => () => void;

const NOTES = 7;
const OTHERS = 5;
/** Of tags, and of headings of the open note, where only these are looked for. */
const OF_EACH = 20;
const AFTER_TYPING_MS = 180;

/**
 * One field for all that can be gone to or done: notes by name, headings of the open note, notes by their text, and
 * commands. `#` finds tags and headings only, `>` commands only.
 */
export function Finder({ context, openNote, createNote, place, typed, close }: FinderProps) {
  const t = useTexts('vault');
  const { vaultId } = context;
  const [query, setQuery] = useTyped(typed);
  const then = useRef<(() => void) | null>(null);
  /** While the dialog is there, it keeps the focus from everything else. */
  const after: After = (act) => () => {
    then.current = act;
    close();
  };
  const first = query[0];
  const wanted = (first === '#' || first === '>' ? query.slice(1) : query).trim();
  const notes = useNotes(vaultId, wanted);
  const outline = useOutline(context.noteId, wanted, first === '#' ? OF_EACH : OTHERS, after);
  const tags = useTags(vaultId, first === '#', wanted, close);
  const commands = useCommands(context, wanted, after);
  const held = useHeldPlace(place);
  const open = (id: string, heading?: string) => () => {
    close();
    openNote(id, held.current, heading);
  };
  const inText = useInText(context, first === '>' ? '' : wanted, notes, open);
  const isNew = context.role !== 'viewer' && wanted !== '' && !notes.some(({ name }) => isSameName(name, wanted));
  const found: PickerItem[] = [
    ...notes.map(({ id, name, detail }) => ({
      ...{ id, label: name, more: detail, group: t(wanted === '' ? 'finder.recent' : 'finder.notes') },
      run: open(id),
    })),
    ...(wanted === '' ? [] : outline.map(({ depth, ...flat }) => flat)),
    ...inText.headings,
    // Before a new note: Enter opens a note that has these words, if there is one.
    ...inText.texts,
    ...(isNew
      ? [
          {
            ...{ id: 'new', label: t('switcher.create', { name: wanted }), group: t('finder.commands') },
            icon: <Icon name="pen" />,
            run: () => {
              close();
              createNote(wanted, held.current);
            },
          },
        ]
      : []),
    ...(wanted === '' ? [] : commands.slice(0, OTHERS)),
  ];
  return (
    <Dialog title={t(TITLES[place])} close={close} closed={() => then.current?.()} isFinder>
      <Picker
        label={t('finder.label')}
        value={query}
        change={setQuery}
        query={wanted}
        none={t('finder.none')}
        icon={<Icon name="note" />}
        items={first === '#' ? [...tags, ...outline, ...inText.headings] : first === '>' ? commands : found}
        foot={[
          `↑↓ ${t('finder.choose')}`,
          `↵ ${t('finder.open')}`,
          ...(isNarrow()
            ? []
            : [
                `${shownKeys('Mod+↵', onApple())} ${t('finder.tab')}`,
                `${shownKeys('Alt+↵', onApple())} ${t('finder.beside')}`,
              ]),
          `# ${t('finder.tags')}`,
          `> ${t('finder.only')}`,
        ]}
      />
    </Dialog>
  );
}

const TITLES = {
  here: 'switcher.title',
  tab: 'tabs.find',
  behind: 'tabs.find',
  beside: 'tabs.findBeside',
} as const;

/** The place that the keys say that were held when something was chosen last. */
function useHeldPlace(place: TabPlace): RefObject<TabPlace> {
  const held = useRef(place);
  useEffect(() => {
    const read = ({ ctrlKey, metaKey, altKey }: KeyboardEvent | MouseEvent) => {
      held.current = altKey ? 'beside' : ctrlKey || metaKey ? 'tab' : place;
    };
    addEventListener('keydown', read, true);
    addEventListener('click', read, true);
    return () => {
      removeEventListener('keydown', read, true);
      removeEventListener('click', read, true);
    };
  }, [place]);
  return held;
}

/** Returns the typed text, which begins with what was typed before. */
export function useTyped(before: RefObject<string>) {
  const [query, setQuery] = useState('');
  // It is shown a moment after it was drawn, and what was typed in between counts.
  useLayoutEffect(() => {
    setQuery(before.current);
    before.current = '';
  }, [before]);
  return [query, setQuery] as const;
}

/** Notes by their names and folders; without a query those that were opened last. */
function useNotes(vaultId: string, wanted: string) {
  const index = useTree(vaultId);
  const { data } = useQuery(openedQuery(vaultId));
  const notes = useMemo(() => {
    const order = new Map((data ?? []).map(({ id }, at) => [id, at]));
    return index
      .notes()
      .flatMap(({ id, name, parent, aliases }) => [
        { id, name, detail: parent },
        ...aliases.map((alias) => ({ id, name: alias, detail: [name, parent].filter(Boolean).join(' · ') })),
      ])
      .sort((a, b) => (order.get(a.id) ?? Infinity) - (order.get(b.id) ?? Infinity) || 0);
  }, [index, data]);
  // A note comes once, by that of its names which fits best.
  const found = bestMatches(notes, wanted, NOTES * 3);
  return found.filter(({ id }, at) => found.findIndex((other) => other.id === id) === at).slice(0, NOTES);
}

/** Headings of the open note, those deeper in it further to the right. */
function useOutline(noteId: string | null, wanted: string, most: number, after: After): PickerItem[] {
  const t = useTexts('vault');
  const editor = noteId === null ? null : workspace.note(noteId).editor.get();
  if (editor === null) return [];
  return outlineOf(editor.facts.get().headings, wanted, most).map(({ name, from, depth }) => ({
    ...{ id: `heading:${from}`, label: name, depth, group: t('finder.headings') },
    icon: <Icon name="heading" />,
    run: after(() => editor.goTo(from)),
  }));
}

/** Returns full-text results: headings of other notes, and matches in notes whose names do not match. */
function useInText(
  { vaultId, noteId }: ActionContext,
  wanted: string,
  named: readonly { readonly id: string }[],
  open: (id: string, heading?: string) => () => void,
): { readonly headings: PickerItem[]; readonly texts: PickerItem[] } {
  const t = useTexts('vault');
  const hits = useTextHits(vaultId, wanted);
  const found = headingsElsewhere(hits, wanted, noteId, OTHERS);
  const headings = found.map(({ id, name, where }) => ({
    ...{ id: `heading:${id} ${where} › ${name}`, label: name, more: where, group: t('finder.headingsElsewhere') },
    icon: <Icon name="heading" />,
    run: open(id, name),
  }));
  const texts = hits
    .filter(({ id }) => !named.some((note) => note.id === id))
    .slice(0, OTHERS)
    .map((hit) => ({
      ...{ id: `text:${hit.id}`, label: hit.title, group: t('finder.text') },
      more: `“${hit.snippet.trim().slice(0, 90)}”`,
      icon: <Icon name="search" />,
      run: () => {
        const mark = bestMark(hit);
        if (mark !== null) workspace.note(hit.id).wantPlace(mark);
        open(hit.id)();
      },
    }));
  return { headings, texts };
}

function useTags(vaultId: string, isWanted: boolean, wanted: string, close: () => void): PickerItem[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery({ ...tagsQuery(vaultId), enabled: isWanted });
  const t = useTexts('vault');
  return bestMatches(data, wanted, OF_EACH).map(({ name, count }) => ({
    id: `tag:${name}`,
    group: t('nav.tags'),
    label: `#${name}`,
    more: String(count),
    icon: <Icon name="tag" />,
    run: () => {
      close();
      void navigate({ to: '/vaults/$vaultId/tags', params: { vaultId }, search: { tag: name } });
    },
  }));
}

/** Returns the actions that are available now, by name. */
export function useCommands(context: ActionContext, wanted: string, after: After): PickerItem[] {
  const t = useTexts('vault');
  const isApple = onApple();
  const named = possibleActions(context).map((action: Action) => ({
    action,
    name: t(`action.${action.id}`),
    detail: action.id,
  }));
  return bestMatches(named, wanted).map(({ action, name }) => {
    const keys = keysOf(action, isApple);
    return {
      ...{ id: action.id, label: name, group: t('finder.commands') },
      icon: <Icon name={action.icon} />,
      ...(keys === undefined ? {} : { keys: shownKeys(keys, isApple) }),
      run: after(() => action.run(context)),
    };
  });
}

/** Notes by their text, once typing pauses. */
function useTextHits(vaultId: string, wanted: string) {
  const [q, setQ] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQ(wanted), AFTER_TYPING_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { data } = useQuery({
    ...searchQuery(vaultId, { q, mode: 'keyword' }),
    enabled: q.length > 1,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return wanted.length > 1 ? (data ?? []) : [];
}
