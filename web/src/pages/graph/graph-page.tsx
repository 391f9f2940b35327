import { nameOrder } from '@notevault/note-text/names/order.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import { graphQuery } from '../../data/queries.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { useWindowTitle } from '../../page/page.tsx';
import type { GraphParams } from '../../page/search-params.ts';
import { PEOPLE } from '../../platform/people.ts';
import { buttonClass } from '../../ui/controls/button.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { useTabs } from '../../workspace/use-tabs.ts';
import styles from './graph.module.css';
import { GraphCanvas } from './graph-canvas.tsx';
import { type GraphIndex, type GraphNote, graphIndexOf } from './model/graph-index.ts';
import { GROUPINGS, type Grouping, isInGroup, type NoteGroup } from './model/groups.ts';
import { NeighbourList } from './neighbour-list.tsx';
import { useGroupColors } from './use-group-colors.ts';

const route = getRouteApi('/vaults/$vaultId/graph');
/** Maximum listed notes; typing more letters narrows the list. */
const LISTED = 50;

/** Graph of all notes of a vault and their links. The query and the chosen note are in the address. */
export function GraphPage() {
  const t = useTexts('graph');
  const { vaultId } = route.useParams();
  const { q = '', note, linked, by: chosenBy, only } = route.useSearch();
  const by: Grouping = chosenBy ?? 'folder';
  const navigate = route.useNavigate();
  const tabs = useTabs(vaultId);
  const index = graphIndexOf(useSuspenseQuery(graphQuery(vaultId)).data);
  useWindowTitle(t('title'));
  const query = useDeferredValue(q);
  const found = useMemo(() => (query.trim() === '' ? null : index.find(query)), [index, query]);
  const group = useMemo(() => (only === undefined ? null : { by, name: only }), [by, only]);
  const part = useMemo(
    () => index.whole(linked === true, (one) => group === null || isInGroup(one, group.by, group.name)),
    [index, linked, group],
  );
  const { groups, colors } = useGroupColors(index, part, by);
  const chosen = note === undefined ? null : index.byId(note);
  const chosenId = chosen?.id ?? null;
  const emphasis = useMemo(
    () => ({ found: found === null ? null : new Set(found.map(({ id }) => id)), chosen: chosenId }),
    [found, chosenId],
  );
  const change = (next: { [Name in keyof GraphParams]: GraphParams[Name] | undefined }) =>
    void navigate({ search: (now) => clean({ ...now, ...next }), replace: true });
  const open = (id: string, newTab: boolean) => {
    if (newTab) tabs.open(id, 'behind');
    else void navigate({ to: '/vaults/$vaultId/notes/$noteId', params: { vaultId, noteId: id } });
  };
  return (
    <div className={styles.page}>
      <aside className={styles.side} aria-label={t('side')}>
        <h1>{t('title')}</h1>
        <p className={styles.hint}>{t('counts', { notes: part.notes.length, links: part.edges.length / 2 })}</p>
        <search className={styles.form}>
          <Finder q={q} change={(text) => change({ q: text === '' ? undefined : text })} />
          <Select
            aria-label={t('colors')}
            value={by}
            onChange={({ target }) => {
              const next = target.value as Grouping;
              change({ by: next === 'folder' ? undefined : next, only: undefined });
            }}
          >
            {GROUPINGS.map((one) => (
              <option key={one} value={one}>
                {t(`by.${one}`)}
              </option>
            ))}
          </Select>
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={linked === true}
              onChange={({ target }) => change({ linked: target.checked || undefined })}
            />
            {t('linkedOnly')}
          </label>
        </search>
        <Legend groups={groups} by={by} only={only} choose={(name) => change({ only: name })} />
        {chosen === null ? null : (
          <Chosen vaultId={vaultId} index={index} note={chosen} choose={(id) => change({ note: id })} />
        )}
        <Found
          notes={found ?? index.mostLinked(LISTED)}
          isSearch={found !== null}
          choose={(id) => change({ note: id })}
        />
      </aside>
      <GraphCanvas part={part} colors={colors} emphasis={emphasis} open={open} />
    </div>
  );
}

function clean(params: { [Name in keyof GraphParams]: GraphParams[Name] | undefined }): GraphParams {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

/** The field keeps its own text: the address follows. */
function Finder({ q, change }: { readonly q: string; readonly change: (q: string) => void }) {
  const t = useTexts('graph');
  const [text, setText] = useState(q);
  return (
    <input
      type="search"
      className={styles.query}
      value={text}
      placeholder={t('find')}
      aria-label={t('find')}
      onChange={({ target }) => {
        setText(target.value);
        change(target.value);
      }}
    />
  );
}

interface LegendProps {
  readonly groups: readonly NoteGroup[];
  readonly by: Grouping;
  readonly only: string | undefined;
  readonly choose: (only: string | undefined) => void;
}

/** Legend of the colours; pressing one shows only its notes. */
function Legend({ groups, by, only, choose }: LegendProps) {
  const t = useTexts('graph');
  if (by === 'none' || (groups.length < 2 && only === undefined)) return null;
  return (
    <ul className={styles.legend} aria-label={t('colors')}>
      {groups.map(({ name, count }, place) => (
        <li key={name}>
          <button
            type="button"
            aria-pressed={name === only}
            title={name === only ? t('showAll') : t('showOnly')}
            onClick={() => choose(name === only ? undefined : name)}
          >
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <circle cx="5" cy="5" r="5" fill={PEOPLE[place]} />
            </svg>
            <span dir="auto">{by === 'tag' ? `#${name}` : name === '' ? t('root') : name}</span>
            <small>{count}</small>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface ChosenProps {
  readonly vaultId: string;
  readonly index: GraphIndex;
  readonly note: GraphNote;
  readonly choose: (id: string) => void;
}

/** The chosen note with its neighbours, as a list. */
function Chosen({ vaultId, index, note, choose }: ChosenProps) {
  const t = useTexts('graph');
  return (
    <section className={styles.chosen} aria-label={note.name} aria-live="polite">
      <h2 dir="auto">{note.name}</h2>
      <p className={styles.hint} dir="auto">
        {note.path}
      </p>
      <Link
        to="/vaults/$vaultId/notes/$noteId"
        params={{ vaultId, noteId: note.id }}
        className={buttonClass('primary')}
      >
        {t('open')}
      </Link>
      {note.degree === 0 ? <p className={styles.hint}>{t('noLinks')}</p> : null}
      <NeighbourList
        neighbours={index.neighboursOf(note.id, nameOrder(useLanguage()))}
        item={(one) => <NoteButton note={one} choose={choose} />}
      />
    </section>
  );
}

interface FoundProps {
  readonly notes: readonly GraphNote[];
  readonly isSearch: boolean;
  readonly choose: (id: string) => void;
}

function Found({ notes, isSearch, choose }: FoundProps) {
  const t = useTexts('graph');
  if (!isSearch && notes.length === 0) return null;
  return (
    <section className={styles.group}>
      <h2 aria-live="polite">{isSearch ? t('found', { count: notes.length }) : t('mostLinked')}</h2>
      <ul>
        {notes.slice(0, LISTED).map((note) => (
          <li key={note.id}>
            <NoteButton note={note} choose={choose} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function NoteButton({ note, choose }: { readonly note: GraphNote; readonly choose: (id: string) => void }) {
  const t = useTexts('graph');
  return (
    <button type="button" className={styles.item} onClick={() => choose(note.id)}>
      <span dir="auto">{note.name}</span>
      <small>{t('links', { count: note.degree })}</small>
    </button>
  );
}
