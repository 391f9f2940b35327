import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../i18n/use-texts.ts';
import type { PanelName } from '../../page/search-params.ts';
import { Icon, type IconName } from '../../ui/controls/icon.tsx';
import styles from './panels.module.css';

const route = getRouteApi('/vaults/$vaultId/notes/$noteId');

const BUTTONS: readonly (readonly [PanelName, IconName])[] = [
  ['outline', 'list'],
  ['links', 'link'],
  ['files', 'attachment'],
  ['graph', 'graph'],
  ['history', 'history'],
];

/** Shows and hides what belongs to the note. It is in the address, so that it can be gone back to. */
export function PanelButtons() {
  const t = useTexts('vault');
  const navigate = route.useNavigate();
  const { panel } = route.useSearch();
  return (
    <fieldset className={styles.buttons} aria-label={t('note.beside')}>
      {BUTTONS.map(([name, icon]) => (
        <button
          key={name}
          type="button"
          className={styles.button}
          aria-label={t(`note.${name}`)}
          aria-pressed={panel === name}
          title={t(`note.${name}`)}
          onClick={() => void navigate({ search: panel === name ? {} : { panel: name } })}
        >
          <Icon name={icon} />
        </button>
      ))}
    </fieldset>
  );
}
