import type { Note } from '@notevault/protocol/notes.ts';
import { Link } from '@tanstack/react-router';
import i18next from 'i18next';
import { useTree } from '../../../data/use-tree.ts';
import { useTexts } from '../../../i18n/use-texts.ts';
import { bytes } from '../../../ui/text/bytes.ts';
import styles from './panels.module.css';

interface FilesProps {
  readonly vaultId: string;
  readonly note: Note;
}

/** The attachments that the note links to or shows. */
export function Files({ vaultId, note }: FilesProps) {
  const t = useTexts('vault');
  const index = useTree(vaultId);
  const ids = new Set(note.links.flatMap(({ target_attachment_id: id }) => id ?? []));
  const files = [...ids].flatMap((id) => {
    const entry = index.byKey(id);
    return entry?.kind === 'attachment' ? [entry] : [];
  });
  if (files.length === 0) return <p className={styles.none}>{t('files.none')}</p>;
  return (
    <ul>
      {files.map(({ id, name, parent, size }) => (
        <li key={id}>
          <Link to="/vaults/$vaultId/files/$fileId" params={{ vaultId, fileId: id }} className={styles.link}>
            <span dir="auto">{name}</span>
            <small dir="auto">{[parent, bytes(size, i18next.language)].filter(Boolean).join(' · ')}</small>
          </Link>
        </li>
      ))}
    </ul>
  );
}
