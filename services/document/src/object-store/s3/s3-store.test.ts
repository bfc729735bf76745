import { freePort } from '@supplier/lib/testing';
import { systemClock } from '@supplier/lib/text/time';
import { describeObjectStore } from '../../../testing/object-store-suite.ts';
import { describeWithS3, openTestS3 } from '../../../testing/test-s3.ts';
import { s3Store } from './s3-store.ts';

describeWithS3('the S3 store', () => {
  describeObjectStore(async () => {
    const { config, stop } = await openTestS3();
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    return {
      store: s3Store(config, systemClock),
      unavailable: s3Store({ ...config, endpoint: nowhere }, systemClock),
      // S3 does not list unfinished uploads.
      leftovers: async () => [],
      close: stop,
    };
  });
});
