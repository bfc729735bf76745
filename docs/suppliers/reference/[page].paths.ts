import { referencePages } from '../.vitepress/reference.ts';

/** A page for each operation and one for what they share, from the OpenAPI document. */
export default {
  paths: () => referencePages().map(({ name, content }) => ({ params: { page: name }, content })),
};
