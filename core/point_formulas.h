/*
 * The group law of Ed25519 in C, over any field representation: part of point_impl.h, where no
 * kernel does it. Formulas: Hisil, Wong, Carter, Dawson (2008), for a = -1; all cases at once.
 */

/* r = (E F, G H, F G, E H); T only where it is used next. */
static inline void
point_complete(point *r, const fe *e, const fe *f, const fe *g, const fe *h, bool with_t)
{
    fe_mul(&r->x, e, f);
    fe_mul(&r->y, g, h);
    fe_mul(&r->z, f, g);
    if (with_t)
        fe_mul(&r->t, e, h);
}

/* r = 2 p; reads no T. */
static inline void
point_double(point *r, const point *p, bool with_t)
{
    fe a, b, c, e, f, g, h;

    fe_sqr(&a, &p->x);
    fe_sqr(&b, &p->y);
    fe_sqr(&c, &p->z);
    fe_add(&c, &c, &c); /* C = 2 Z^2 */
    fe_add(&h, &a, &b); /* H = A + B */
    fe_add(&e, &p->x, &p->y);
    fe_sqr(&e, &e);
    fe_sub(&e, &h, &e); /* E = H - (X + Y)^2 */
    fe_sub(&g, &a, &b); /* G = A - B */
    fe_add(&f, &c, &g); /* F = C + G */
    point_complete(r, &e, &f, &g, &h, with_t);
}

/* r = p + q or, negated, p - q, with q = (y_plus_x, y_minus_x, 2 d t) and d2 = 2 Z_p Z_q. */
static inline void
point_add_parts(point *r, const point *p, const fe *y_plus_x, const fe *y_minus_x, const fe *t2d,
                const fe *d2, bool negate, bool with_t)
{
    fe a, b, c, e, f, g, h;

    fe_sub(&a, &p->y, &p->x);
    fe_mul(&a, &a, negate ? y_plus_x : y_minus_x);
    fe_add(&b, &p->y, &p->x);
    fe_mul(&b, &b, negate ? y_minus_x : y_plus_x);
    fe_mul(&c, &p->t, t2d);
    fe_sub(&e, &b, &a);
    fe_add(&h, &b, &a);
    fe_sub(&f, d2, &c);
    fe_add(&g, d2, &c);
    if (negate)
        point_complete(r, &e, &g, &f, &h, with_t);
    else
        point_complete(r, &e, &f, &g, &h, with_t);
}

static inline void
point_add_cached(point *r, const point *p, const cached *q, bool negate, bool with_t)
{
    fe d2;

    fe_mul(&d2, &p->z, &q->z2);
    point_add_parts(r, p, &q->y_plus_x, &q->y_minus_x, &q->t2d, &d2, negate, with_t);
}

static inline void
point_add_niels(point *r, const point *p, const bm_niels *q, bool negate, bool with_t)
{
    fe y_plus_x, y_minus_x, t2d, d2;

    fe_from_limbs(&y_plus_x, q->y_plus_x);
    fe_from_limbs(&y_minus_x, q->y_minus_x);
    fe_from_limbs(&t2d, q->xy2d);
    fe_add(&d2, &p->z, &p->z);
    point_add_parts(r, p, &y_plus_x, &y_minus_x, &t2d, &d2, negate, with_t);
}
