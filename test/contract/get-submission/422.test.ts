import { randomUUID } from 'node:crypto';
import { CREATE_PATH } from '../../harness/http.ts';
import { pathsOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

describe('read by id 422', () => {
  it.each([
    'x',
    `${randomUUID()}0`,
    randomUUID().replaceAll('-', ''),
    `{${randomUUID()}}`,
    '%00',
    '%F0%9F%98%80',
    `${randomUUID()}%00`,
    "'%20or%20'1'='1",
  ])('returns 422 for the id %s, which is not a UUID', async (id) => {
    expect(pathsOf(await supplier('alpha').call({ path: `${CREATE_PATH}/${id}` }))).toEqual([
      'submission_id',
    ]);
  });
});
