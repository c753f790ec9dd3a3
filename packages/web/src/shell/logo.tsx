/** A capstan: bars through the head, a drum, and the rope it hauls. */
export function Logo(props: { readonly size?: number }) {
  return (
    <svg
      class="logo"
      viewBox="0 0 32 32"
      width={props.size ?? 28}
      height={props.size ?? 28}
      aria-hidden="true"
    >
      <path class="logo-bars" d="M2 8.5h28" />
      <rect class="logo-body" x="8" y="5" width="16" height="7" rx="2.4" />
      <path class="logo-body" d="M10.5 12c2 4.3 2 7.6 0 12.5h11c-2-4.9-2-8.2 0-12.5z" />
      <rect class="logo-body" x="6" y="24.5" width="20" height="4" rx="2" />
      <path class="logo-rope" d="M11.6 16.5h8.8M11.5 19.8h9c3.5 0 4.5-2 9.5-2" />
    </svg>
  );
}
