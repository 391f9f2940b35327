import type { ActivityItem } from '@notevault/protocol/activity.ts';
import type { TFunction } from 'i18next';

/** Number of paths that a row names. */
const PATHS_SHOWN = 3;

/** Says what an item did, without who and where. */
export function activityText(
  t: TFunction<'activity'>,
  { action, count, relinked = 0, people, paths }: ActivityItem,
): string {
  if (people !== undefined) return t(`people.${people.change}`, { name: people.display_name ?? t('someone') });
  const own = count === 1 || paths.length <= PATHS_SHOWN ? t(`did.${action}`) : t(`didMany.${action}`, { count });
  return relinked === 0 ? own : `${own}${t('relinked', { count: relinked })}`;
}

/** Names the places of an item; null if it has none. */
export function pathsText({ paths }: Pick<ActivityItem, 'paths'>): string | null {
  if (paths.length === 0) return null;
  const named = paths.slice(0, PATHS_SHOWN).map((path) => path.replace(/\.md$/i, ''));
  return `${named.join(', ')}${paths.length > PATHS_SHOWN ? ' …' : ''}`;
}
