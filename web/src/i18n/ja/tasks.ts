import type { tasks as english } from '../en/tasks.ts';

export const tasks: typeof english = {
  title: 'タスク',
  open: '未完了',
  done: '完了',
  tag: 'タグ',
  anyTag: 'すべてのタグ',
  order: '並び順',
  by: { due: '期限順', note: 'ノート別', tag: 'タグ別' },
  group: {
    overdue: '期限切れ',
    past: '以前',
    today: '今日',
    week: '今週',
    later: 'それ以降',
    none: '日付なし',
  },
  untagged: 'タグなし',
  note: 'ノートを開く',
  isDone: '「{{text}}」を完了にしました',
  isOpen: '「{{text}}」を未完了に戻しました',
  noneOpen: '未完了のタスクはありません',
  noneDone: '完了したタスクはまだありません',
  noneDoneText: 'ここやノートでチェックしたものがここに並びます。',
  noneTagged: '行に #{{tag}} のあるタスクはありません',
  how: 'ノートに「- [ ] 」に続けて、することを書いてください。「📅 2026-12-01」のように日付を書くと期限になります。',
  dismiss: '閉じる',
  problem: {
    changed: 'その間に行が変更されたため、チェックしませんでした。現在の内容：',
    gone: 'その間にノートが削除されたため、チェックしませんでした。',
  },
};
