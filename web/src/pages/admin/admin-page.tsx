import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { NotFound } from '../../page/not-found.tsx';
import { SettingsShell } from '../settings/settings-shell.tsx';

const PAGES = [
  ['/admin', 'users.title'],
  ['/admin/invites', 'invites.title'],
  ['/admin/health', 'health.title'],
] as const;

/** The admin pages. The server refuses their requests to others, for whom the page does not exist. */
export function AdminPage() {
  const t = useTexts('admin');
  const { data: me } = useSuspenseQuery(meQuery);
  if (me.role !== 'admin') return <NotFound />;
  return (
    <SettingsShell label={t('title')}>
      {PAGES.map(([to, name]) => (
        <Link key={to} to={to} activeOptions={{ exact: true }}>
          {t(name)}
        </Link>
      ))}
      <Link to="/settings">{t('settings')}</Link>
    </SettingsShell>
  );
}
