import { refusesWhoMayNot } from '../../harness/common-refusals.ts';

describe('403 to a finalize', () => {
  refusesWhoMayNot('finalize-upload');
});
