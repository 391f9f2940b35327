import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { taggedQuery, tagsQuery } from '../data/queries.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { Page } from '../page/page.tsx';
import { Result } from '../search/result.tsx';
import styles from './lists.module.css';

const route = getRouteApi('/vaults/$vaultId/tags');

/** All tags of a vault; the notes of the one in the address. */
export function TagsPage() {
  const t = useTexts('vault');
  const { vaultId } = route.useParams();
  const { tag } = route.useSearch();
  const { data: tags } = useSuspenseQuery(tagsQuery(vaultId));
  return (
    <Page title={tag === undefined ? t('nav.tags') : `#${tag}`}>
      <ul className={styles.tags}>
        {tags.map(({ name, count }) => (
          <li key={name}>
            <Link
              to="/vaults/$vaultId/tags"
              params={{ vaultId }}
              search={name === tag ? {} : { tag: name }}
              className={styles.tag}
              aria-current={name === tag ? 'true' : undefined}
            >
              #{name} <span>{count}</span>
            </Link>
          </li>
        ))}
      </ul>
      {tags.length === 0 ? <p className={styles.hint}>{t('tags.none')}</p> : null}
      {tag === undefined ? null : <TaggedNotes vaultId={vaultId} tag={tag} />}
    </Page>
  );
}

function TaggedNotes({ vaultId, tag }: { readonly vaultId: string; readonly tag: string }) {
  const t = useTexts('vault');
  const { data, isPending } = useQuery(taggedQuery(vaultId, tag));
  if (isPending) return null;
  if (data?.length === 0) return <p className={styles.hint}>{t('tags.noNotes')}</p>;
  return (
    <ul>
      {data?.map((result) => (
        <li key={result.id}>
          <Result vaultId={vaultId} result={result} />
        </li>
      ))}
    </ul>
  );
}
