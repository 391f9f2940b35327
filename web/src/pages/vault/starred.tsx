import { Link } from '@tanstack/react-router';
import { useStars } from '../../data/stars.ts';
import { useTree } from '../../data/use-tree.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Icon } from '../../ui/controls/icon.tsx';
import styles from './sidebar.module.css';

interface StarredProps {
  readonly vaultId: string;
  /** Called when something was opened from it. */
  readonly leave: () => void;
}

/** The notes that the account starred in the vault; nothing without any. */
export function Starred({ vaultId, leave }: StarredProps) {
  const t = useTexts('vault');
  const { stars } = useStars(vaultId);
  const index = useTree(vaultId);
  const notes = stars.flatMap((id) => {
    const entry = index.byKey(id);
    return entry?.kind === 'note' ? [entry] : [];
  });
  if (notes.length === 0) return null;
  return (
    <section className={styles.starred} aria-labelledby="starred">
      <h2 id="starred">{t('nav.starred')}</h2>
      <ul>
        {notes.map(({ id, name }) => (
          <li key={id}>
            <Link to="/vaults/$vaultId/notes/$noteId" params={{ vaultId, noteId: id }} onClick={leave}>
              <Icon name="star" size={14} />
              <span dir="auto">{name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
