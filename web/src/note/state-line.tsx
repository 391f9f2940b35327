import { useEffect, useRef, useState } from 'react';
import type { EditorSession } from '../editor/index.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { showToast } from '../ui/feedback/toast.ts';
import styles from './note-editor.module.css';
import { useSessionFact } from './use-note-session.ts';

/** Assistive technology is told of changes at most this often. */
const ANNOUNCE_MS = 10_000;

interface StateLineProps {
  readonly session: EditorSession;
  /** Saves a text as a new note beside this one, and opens that. */
  readonly keepAsNewNote: (text: string) => Promise<void>;
}

/**
 * Says whether the note is saved. The word is written without React: it changes with each key, and nothing else on the
 * page does.
 */
export function StateLine({ session, keepAsNewNote }: StateLineProps) {
  const t = useTexts('editor');
  const shown = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const write = () => {
      const { word, problem, isLoud } = session.state;
      const line = shown.current;
      if (line === null || line.dataset.word === `${word} ${problem}`) return;
      line.dataset.word = `${word} ${problem}`;
      line.dataset.look = isLoud ? 'loud' : (word ?? '');
      const reason = problem === null ? '' : t(`problem.${problem}`);
      line.textContent = word === null ? '' : t(`state.${word}`, { problem: reason });
    };
    write();
    return session.onChange(write);
  }, [session, t]);
  return (
    <div className={styles.state}>
      <span ref={shown} className={styles.word} data-testid="save-state" />
      <Announcement session={session} />
      <Recovery session={session} keepAsNewNote={keepAsNewNote} />
    </div>
  );
}

/** The words that matter to somebody who does not see the line: problems, and that they are over. */
function Announcement({ session }: { readonly session: EditorSession }) {
  const t = useTexts('editor');
  const word = useSessionFact(session, ({ state }) => (state.word === 'saving' ? 'saved' : state.word));
  const problem = useSessionFact(session, ({ state }) => state.problem);
  const [text, setText] = useState('');
  const last = useRef(0);
  useEffect(() => {
    if (word === null) return;
    const reason = problem === null ? '' : t(`problem.${problem}`);
    const wait = Math.max(0, last.current + ANNOUNCE_MS - Date.now());
    const timer = setTimeout(() => {
      last.current = Date.now();
      setText(t(`state.${word}`, { problem: reason }));
    }, wait);
    return () => clearTimeout(timer);
  }, [word, problem, t]);
  return (
    <span role="status" className={styles.hidden}>
      {text}
    </span>
  );
}

/** What can be done when the note cannot be saved. */
function Recovery({ session, keepAsNewNote }: StateLineProps) {
  const t = useTexts('editor');
  const word = useSessionFact(session, ({ state }) => state.word);
  const problem = useSessionFact(session, ({ state }) => state.problem);
  const isLoud = useSessionFact(session, ({ state }) => state.isLoud);
  if (word === 'offline-not-saved' || word === 'offline-kept') {
    return <Button onClick={() => session.reconnect()}>{t('recover.retry')}</Button>;
  }
  if (word !== 'cannot-save' || problem === null) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(session.text.toString());
    showToast({ text: t('recover.copied'), kind: 'plain' });
  };
  const canKeep = problem !== 'signed-out';
  return (
    <>
      {canKeep && (isLoud || problem === 'note-deleted') ? (
        <Button look="primary" onClick={() => void keepAsNewNote(session.text.toString())}>
          {t('recover.keep')}
        </Button>
      ) : null}
      <Button onClick={() => void copy()}>{t('recover.copy')}</Button>
      {problem === 'note-deleted' ? null : (
        <Button onClick={() => void session.startOver()}>{t('recover.discard')}</Button>
      )}
    </>
  );
}
