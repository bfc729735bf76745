/** What a Prisma client and a Prisma transaction have in common; enough for SQL that belongs to no one's schema. */
export interface SqlExecutor {
  $executeRawUnsafe(query: string, ...values: unknown[]): PromiseLike<number>;
  $queryRawUnsafe<Result = unknown>(query: string, ...values: unknown[]): PromiseLike<Result>;
}
