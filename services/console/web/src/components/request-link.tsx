import { visible } from '@supplier/lib/text/visible';
import { Link } from '@tanstack/react-router';
import { UUID } from '../format.ts';

/** A request id that links to everything the request did. */
export const RequestLink = ({ id }: { readonly id: string }) =>
  UUID.test(id) ? (
    <Link to="/find" search={{ what: id }}>
      {id}
    </Link>
  ) : (
    visible(id)
  );
