import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase } from '../../../services/lib/testing/index.ts';
import { servicesWithDatabase } from './process-table.ts';
import { type Columns, declaredColumns } from './testing/declared-columns.ts';

const checkout = join(import.meta.dirname, '../../..');

describe('declaredColumns', () => {
  it('reads tables, columns, types, lists and nullability', () => {
    const schema = `
      enum Kind {
        one
        @@map("kind_of")
      }
      model Lead {
        leadId  String    @id @map("lead_id") @db.Uuid // the supplier's
        kinds   Kind[]
        note    String?
        entries Entry[]
        @@map("lead")
      }
      model Entry {
        id   BigInt @id
        lead Lead   @relation(fields: [id], references: [id])
      }`;
    expect(declaredColumns(schema)).toEqual({
      lead: { lead_id: 'uuid', kinds: '_kind_of', note: 'text?' },
      Entry: { id: 'int8' },
    });
  });
});

describe('service migrations', () => {
  it.each(servicesWithDatabase)(
    'create exactly the tables and columns that the schema of %s declares',
    async (name) => {
      const schema = readFileSync(join(checkout, 'services', name, 'prisma', 'schema.prisma'), 'utf8');
      expect(await migratedColumns(name)).toEqual(declaredColumns(schema));
    },
  );
});

/** Returns the columns that a service's migrations create in an empty database. */
async function migratedColumns(service: string): Promise<Record<string, Columns>> {
  const serviceDir = new URL(`../../../services/${service}/`, import.meta.url);
  const { pool, close } = await createTestDatabase({ serviceDir });
  try {
    const { rows } = await pool.query<{ table: string; column: string; type: string }>(
      `select table_name as table, column_name as column,
              udt_name || case when is_nullable = 'YES' and data_type <> 'ARRAY' then '?' else '' end as type
         from information_schema.columns
        where table_schema = 'public' and table_name <> '_prisma_migrations'
          and table_name not in (select relname from pg_class where relispartition)`,
    );
    const tables = Map.groupBy(rows, ({ table }) => table);
    return Object.fromEntries(
      [...tables].map(([table, columns]) => [
        table,
        Object.fromEntries(columns.map(({ column, type }) => [column, type])),
      ]),
    );
  } finally {
    await close();
  }
}
