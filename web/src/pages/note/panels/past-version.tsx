import { type DifferencePiece, differenceOf, shortened } from '@notevault/note-text/diff/difference.ts';
import type { Note, NoteVersion } from '@notevault/protocol/notes.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { versionQuery, versionsQuery } from '../../../data/queries.ts';
import { useLanguage, useTexts } from '../../../i18n/use-texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Choice } from '../../../ui/controls/field.tsx';
import { Icon } from '../../../ui/controls/icon.tsx';
import styles from './history.module.css';
import { SideView } from './side-view.tsx';
import { sidesOf } from './sides.ts';

interface PastVersionProps {
  readonly vaultId: string;
  readonly note: Note;
  readonly version: number;
  readonly close: () => void;
}

/** Text that a version is compared with: the previous version, the current text, or any version. */
type Other = 'before' | 'now' | number;

/** Shows a version in place of its note, with its changes against another version. */
export function PastVersion(props: PastVersionProps) {
  const t = useTexts('vault');
  const { data: versions } = useQuery(versionsQuery(props.vaultId, props.note.id));
  return (
    <section className={styles.past} aria-label={t('history.shown')}>
      {versions === undefined ? null : <Comparison key={props.version} {...props} versions={versions} />}
    </section>
  );
}

function Comparison({
  vaultId,
  note,
  version,
  close,
  versions,
}: PastVersionProps & { readonly versions: readonly NoteVersion[] }) {
  const t = useTexts('vault');
  const language = useLanguage();
  const previous = versions[versions.findIndex((one) => one.version === version) + 1]?.version;
  const [other, setOther] = useState<Other>(previous === undefined ? 'now' : 'before');
  const [isBeside, setBeside] = useState(false);
  const against = other === 'before' ? (previous ?? version) : other === 'now' ? null : other;
  // The earlier text is on the left, whichever of the two was chosen first.
  const [earlier, later] = against !== null && against < version ? [against, version] : [version, against];
  const before = useText(vaultId, note, earlier);
  const after = useText(vaultId, note, later);
  const pieces = useMemo(
    () => (before === undefined || after === undefined ? null : differenceOf(before, after)),
    [before, after],
  );
  const nameOf = (one: number | null) => {
    const made = versions.find(({ version }) => version === one)?.created_at;
    return made === undefined
      ? t('history.now')
      : new Date(made).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
  };
  return (
    <>
      <header className={styles.head}>
        <h1>{nameOf(version)}</h1>
        <Counts pieces={pieces ?? []} />
        <Button look="quiet" isIcon aria-label={t('history.back')} title={t('history.back')} onClick={close}>
          <Icon name="close" />
        </Button>
        <div className={styles.choices}>
          <Choice
            label={t('history.with')}
            value={other}
            onChange={({ target: { value } }) =>
              setOther(value === 'before' || value === 'now' ? value : Number(value))
            }
          >
            {previous === undefined ? null : <option value="before">{t('history.before')}</option>}
            <option value="now">{t('history.textNow')}</option>
            {versions
              .filter((one) => one.version !== version)
              .map((one) => (
                <option key={one.version} value={one.version}>
                  {nameOf(one.version)}
                </option>
              ))}
          </Choice>
          <Choice
            label={t('history.look')}
            value={String(isBeside)}
            onChange={({ target }) => setBeside(target.value === 'true')}
          >
            <option value="false">{t('history.inline')}</option>
            <option value="true">{t('history.beside')}</option>
          </Choice>
        </div>
      </header>
      {pieces?.every(({ kind }) => kind === 'same') ? <p className={styles.same}>{t('history.same')}</p> : null}
      {isBeside ? (
        <SideView blocks={sidesOf(shortened(pieces ?? []))} names={[nameOf(earlier), nameOf(later)]} />
      ) : (
        <DifferenceView pieces={shortened(pieces ?? [])} />
      )}
    </>
  );
}

/** How many characters came and went. */
function Counts({ pieces }: { readonly pieces: readonly DifferencePiece[] }) {
  const t = useTexts('vault');
  const count = (kind: DifferencePiece['kind']) =>
    pieces.filter((piece) => piece.kind === kind).reduce((sum, { text }) => sum + text.length, 0);
  const [added, removed] = [count('added'), count('removed')];
  if (added + removed === 0) return <span />;
  return (
    <span className={styles.counts}>
      <span aria-hidden="true">
        <ins>+{added}</ins> <del>−{removed}</del>
      </span>
      <span className="visually-hidden">{t('history.counts', { added, removed })}</span>
    </span>
  );
}

/** The text of a version, or for null the one now; undefined until it is read. */
function useText(vaultId: string, note: Note, version: number | null): string | undefined {
  const { data } = useQuery({ ...versionQuery(vaultId, note.id, version ?? 0), enabled: version !== null });
  return version === null ? note.content : data?.content;
}

/** Two texts in one, with additions and removals marked. */
function DifferenceView({ pieces }: { readonly pieces: readonly DifferencePiece[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <pre className={styles.difference} dir="auto" tabIndex={0}>
      {pieces.map(({ kind, text }, at) => {
        const key = `${at} ${kind}`;
        if (kind === 'added') return <ins key={key}>{text}</ins>;
        return kind === 'removed' ? <del key={key}>{text}</del> : <span key={key}>{text}</span>;
      })}
    </pre>
  );
}
