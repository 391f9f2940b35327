import { useSuspenseQuery } from '@tanstack/react-query';
import { treeQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import styles from './damaged-rows.module.css';

const LISTED = 20;

/** Names the notes and files of a vault whose stored data is damaged, and says what to do; nothing if there are none. */
export function DamagedRows({ vaultId }: { readonly vaultId: string }) {
  const t = useTexts('vault');
  const { data: rows = [] } = useSuspenseQuery({ ...treeQuery(vaultId), select: ({ unreadable }) => unreadable });
  if (rows.length === 0) return null;
  const notes = rows.filter(({ type }) => type === 'note').length;
  const files = rows.length - notes;
  return (
    <section className={styles.section} aria-label={t('damaged.label')}>
      <Notice kind="danger">
        {notes > 0 ? <p>{t('damaged.notes', { count: notes })}</p> : null}
        {files > 0 ? <p>{t('damaged.files', { count: files })}</p> : null}
        <p>{t('damaged.help')}</p>
      </Notice>
      {/* Outside of what is announced at once: nobody wants to hear the ids. */}
      <ul className={styles.ids}>
        {rows.slice(0, LISTED).map(({ id, type }) => (
          <li key={id}>
            {t(`damaged.${type}`)} <code>{id}</code>
          </li>
        ))}
        {rows.length > LISTED ? <li>{t('damaged.more', { count: rows.length - LISTED })}</li> : null}
      </ul>
    </section>
  );
}
