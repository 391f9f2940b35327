import type { VaultChange } from '@notevault/protocol/vault-changes.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import styles from './changes.module.css';

interface ChangePreviewProps {
  readonly plan: VaultChange;
  /** Text that replaces each match. */
  readonly replacement: string;
  /** Whether the preview changed because somebody edited a note meanwhile. */
  readonly isOther: boolean;
}

/** The notes that would change, each with its first places: what goes is struck through, what comes is beside it. */
export function ChangePreview({ plan: { notes }, replacement, isOther }: ChangePreviewProps) {
  const t = useTexts('changes');
  const places = notes.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className={styles.preview}>
      {isOther ? <Notice kind="danger">{t('other')}</Notice> : null}
      <p role="status">
        {notes.length === 0 ? t('nothing') : `${t('places', { count: places })} ${t('notes', { count: notes.length })}`}
      </p>
      <ul>
        {notes.map(({ path, count, excerpts }) => (
          <li key={path}>
            <strong>
              <span dir="auto">{path.replace(/\.md$/i, '')}</span> <small>{count}</small>
            </strong>
            {excerpts.map(({ text, start, end }) => (
              <p key={`${start} ${text}`} dir="auto">
                {text.slice(0, start)}
                <del>{text.slice(start, end)}</del>
                <ins>{replacement}</ins>
                {text.slice(end)}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}
