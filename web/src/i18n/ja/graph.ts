import type { graph as english } from '../en/graph.ts';

/** 保管庫のグラフとノート横のグラフの文言。 */
export const graph: typeof english = {
  title: 'グラフ',
  side: 'グラフのノート',
  counts: 'ノート {{notes}} 件、リンク {{links}} 件',
  picture: 'ノート {{notes}} 件とリンク {{links}} 件のグラフ。同じ内容が横の一覧にあります。',
  find: '名前またはフォルダーでノートを探す',
  linkedOnly: 'リンクのあるノートのみ',
  found_one: '{{count}} 件のノートが見つかりました',
  found_other: '{{count}} 件のノートが見つかりました',
  mostLinked: 'リンクの多い順',
  links_one: 'リンク {{count}} 件',
  links_other: 'リンク {{count}} 件',
  open: 'ノートを開く',
  to_one: '{{count}} 件のノートへリンク',
  to_other: '{{count}} 件のノートへリンク',
  from_one: '{{count}} 件のノートからリンク',
  from_other: '{{count}} 件のノートからリンク',
  noLinks: 'このノートには、ほかのノートとのリンクがありません。',
  steps: 'ノートからの距離',
  step_one: '{{count}} 段',
  step_other: '{{count}} 段',
  noWebGl: 'このブラウザーには WebGL がないため、グラフを描けません。一覧に同じ内容があります。',
};
