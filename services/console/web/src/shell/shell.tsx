import { Alert, AppShell, Badge, Box, Burger, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Environment } from '@supplier/proto/common/v1/status';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { PageHeader } from '../components/page-header.tsx';
import { useEnvironment, useEnvironmentName } from '../environment.ts';
import { capitalize } from '../format.ts';
import { timeZone } from '../preferences.ts';
import type { EnvironmentInUrl } from '../searches.ts';
import { resumeSession, useSession } from '../session.ts';
import { formatCount, useAttention } from './attention.ts';
import { mayOpen, type Screen, screenAt, screenGroupsFor } from './screens.ts';
import { Search } from './search.tsx';
import { UserMenu } from './user-menu.tsx';

/** The colour of the environment, above the page. */
const EDGE = { borderTop: '4px solid var(--environment)' };
const SCREEN = {
  maw: 1_440,
  px: 24,
  pt: 20,
  // The bar of selected rows covers nothing at the end of a page.
  pb: { base: 140, md: 72 },
  style: { overflowWrap: 'anywhere', outline: 'none' },
} as const;

/** The frame of every screen: navigation, environment, search and the person's menu. */
export function Shell() {
  const { isOver, roles } = useSession();
  const [isOpen, { toggle, close }] = useDisclosure();
  const environment = useEnvironmentName();
  const main = useScreenTitle(environment);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the drawer
  useEffect(close, [pathname]);
  return (
    <AppShell
      layout="alt"
      // A page that is being laid out for another width must not scroll sideways.
      transitionDuration={0}
      header={{ height: 57 }}
      navbar={{ width: 220, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      className="app"
      data-environment={environment}
    >
      <a className="skip" href="#screen">
        Skip to content
      </a>
      <AppShell.Navbar
        className="sidebar"
        p="sm"
        bg="var(--sidebar)"
        c="white"
        style={{ ...EDGE, overflowY: 'auto' }}
      >
        <Group justify="space-between" px={8} pb="sm">
          <strong>Supplier submissions</strong>
          <Burger
            hiddenFrom="md"
            size="sm"
            color="white"
            opened={isOpen}
            onClick={toggle}
            aria-label="Close navigation"
          />
        </Group>
        <EnvironmentSwitch />
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Header style={EDGE}>
        <Group h="100%" px={{ base: 'sm', md: 'lg' }} gap="xs" wrap="nowrap">
          <Burger hiddenFrom="md" size="sm" opened={isOpen} onClick={toggle} aria-label="Open navigation" />
          <Search />
          <UserMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Main bg="light-dark(#f6f7f9, #12161c)">
        {isOver ? <SessionOver /> : null}
        {/* Times are formatted again when the time zone changes. */}
        <Box id="screen" tabIndex={-1} ref={main} key={timeZone.use()} {...SCREEN}>
          {mayOpen(roles, pathname) ? <Outlet /> : <NoPermission name={screenAt(pathname)?.name ?? ''} />}
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}

/** Shows the same screen in the other environment, or the list if the screen shows one submission. */
function EnvironmentSwitch() {
  const navigate = useNavigate();
  const isSubmission = useLocation().pathname.startsWith('/submissions/');
  const show = (environment: EnvironmentInUrl) =>
    void navigate(
      isSubmission
        ? { to: '/submissions', search: { environment } }
        : { to: '.', search: (before) => ({ ...before, environment }) },
    );
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      className="environment-switch"
      color="var(--environment)"
      bg="#1c2530"
      aria-label="Environment"
      value={String(useEnvironment())}
      onChange={(value) =>
        show(Number(value) === Environment.SANDBOX ? Environment.SANDBOX : Environment.PRODUCTION)
      }
      data={[
        { value: String(Environment.SANDBOX), label: 'Sandbox' },
        { value: String(Environment.PRODUCTION), label: 'Production' },
      ]}
    />
  );
}

function Navigation() {
  const { roles } = useSession();
  const counts = useAttention();
  const open = screenAt(useLocation().pathname);
  return (
    <nav aria-label="Main">
      {screenGroupsFor(roles).map(({ name, screens }) => (
        <section key={name} aria-label={name}>
          <Text component="h2" mt={14} mb={4} px={10} fz={11} lts="0.06em" tt="uppercase" c="#9aa5b3">
            {name}
          </Text>
          {screens.map(({ path, name: screen }) => (
            <Box key={path} pos="relative">
              <Link
                to={path}
                activeOptions={{ exact: true }}
                aria-current={path === open?.path ? 'page' : undefined}
              >
                {screen}
              </Link>
              <AttentionCount path={path} count={counts[path] ?? 0} />
            </Box>
          ))}
        </section>
      ))}
    </nav>
  );
}

/** A number beside a screen. It is no part of the screen's name. */
const AttentionCount = ({ path, count }: { readonly path: Screen['path']; readonly count: number }) =>
  count === 0 ? null : (
    <Badge
      variant="filled"
      color={path === '/webhooks' ? '#b3261e' : '#33414f'}
      pos="absolute"
      top={6}
      right={10}
      title={`${count} ${count === 1 ? 'needs' : 'need'} attention`}
    >
      {formatCount(path, count)}
    </Badge>
  );

/** Sets the tab's title and icon, and moves the focus to a screen when the person navigates to it. */
function useScreenTitle(environment: keyof typeof ICONS): RefObject<HTMLDivElement | null> {
  const { pathname } = useLocation();
  const main = useRef<HTMLDivElement>(null);
  const before = useRef(pathname);
  useEffect(() => {
    const name = screenAt(pathname)?.name ?? 'Search';
    document.title = `${name} · ${capitalize(environment)} · Supplier submissions`;
    document.querySelector('link[rel=icon]')?.setAttribute('href', ICONS[environment]);
    if (before.current !== pathname) main.current?.focus();
    before.current = pathname;
  }, [pathname, environment]);
  return main;
}

/** A disc in the colour of the environment. */
const iconOf = (colour: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="${colour}"/></svg>`)}`;
const ICONS = { production: iconOf('#f3b13d'), sandbox: iconOf('#2157d6') } as const;

const NoPermission = ({ name }: { readonly name: string }) => (
  <>
    <PageHeader title={name} />
    <Alert color="yellow" title="Your role can’t open this">
      Your roles don’t include this screen. Ask an administrator for access.
    </Alert>
  </>
);

/** For a path that no screen has. */
export const NoScreen = () => (
  <>
    <PageHeader title="Page not found" />
    <p role="alert">There is no such screen. Check the address, or start from the overview.</p>
    <Link to="/">Go to Overview</Link>
  </>
);

const SessionOver = () => (
  <Alert color="yellow" title="Your session has ended" mb="md">
    <p>What you typed is kept. Log in on another tab, then come back and continue.</p>
    <Group gap="xs">
      <Button component="a" href="/login" target="_blank" rel="noreferrer">
        Log in on another tab
      </Button>
      <Button onClick={() => void resumeSession()}>Continue</Button>
    </Group>
  </Alert>
);
