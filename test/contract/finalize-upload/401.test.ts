import { refusesWhoIsUnknown } from '../../harness/common-refusals.ts';

describe('401 to a finalize', () => {
  refusesWhoIsUnknown('finalize-upload');
});
