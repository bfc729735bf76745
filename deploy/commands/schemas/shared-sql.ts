/**
 * Fills the parts of a migration that come from `services/lib`: replaces the text between the comments `-- begin FILE`
 * and `-- end FILE` with the text of that file. A published migration has no such comments, so it never changes.
 */
export function withSharedSql(migration: string, read: (file: string) => string): string {
  const part = /^(-- begin (\S+\.sql)\n)[\s\S]*?^(-- end \2)$/gm;
  return migration.replace(part, (_, begin: string, file: string, end: string) => begin + read(file) + end);
}
