/**
 * Fills the parts of a migration that come from `services/lib`: what stands between the comments `-- begin FILE` and
 * `-- end FILE` becomes the text of that file. A migration of a published release has no such comments, so that it never
 * changes.
 */
export function withSharedSql(migration: string, read: (file: string) => string): string {
  const part = /^(-- begin (\S+\.sql)\n)[\s\S]*?^(-- end \2)$/gm;
  return migration.replace(part, (_, begin: string, file: string, end: string) => begin + read(file) + end);
}
