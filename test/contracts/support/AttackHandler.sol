// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {BRIDGED, IDepositRouter, Order, Patch, SELF, Step} from "./IDepositRouter.sol";
import {Intruder} from "./Intruder.sol";
import {SignedOrders} from "./SignedOrders.sol";
import {Token, WrappedNative} from "./Tokens.sol";
import {BehaviourVault, Mode} from "./Vaults.sol";

/// @notice Carries out one attack of each kind and compares how it ends with how it must end. An attack has landed when
/// the hostile act itself took place: it ran to its end without gain, or it was refused for the one right reason. Any
/// other end is a breach. Honest signed orders, withdrawals and bridged orders run in between.
contract AttackHandler is SignedOrders {
    uint256 public constant KINDS = 18;

    Intruder public intruder;
    BehaviourVault public honest;
    BehaviourVault public hooked;
    WrappedNative public weth;
    uint256[KINDS] public landed;
    uint256[KINDS] public breaches;
    uint256 public orders; // honest orders that ran as computed
    uint256 public wrong; // honest orders that did not
    uint256 private _serial;

    function setUp() public override {
        super.setUp();
        intruder = new Intruder();
        weth = new WrappedNative();
        honest = new BehaviourVault(address(token), Mode.Honest);
        hooked = new BehaviourVault(address(token), Mode.LendsControl);
        hooked.setHook(address(intruder));
        fund(token, mallory, 1e30);
        fund(token, alice, 1e30);
        token.mint(address(intruder), 1e24);
        intruder.approve(token, address(router));
        usdc.mint(owner, 1e30);
        usdc.mint(victim, 1e12);
        vm.prank(victim);
        usdc.approve(PERMIT2, MAX);
        vm.prank(victim);
        usdc.approve(address(router), MAX);
        vm.prank(victim);
        token.approve(PERMIT2, MAX);
        approvePermit2();
    }

    function targets() external view returns (address, address) {
        return (address(token), address(usdc));
    }

    // --- honest orders ----------------------------------------------------------------------------------------------

    function signedDeposit(uint256 amount, bool byPermit2) external {
        (Order memory d, Step[] memory steps) = _signedOrder(amount);
        uint256 paid = usdc.balanceOf(owner);
        uint256 held = fiatVault.balanceOf(owner);
        (bool done,) = submit(submission(byPermit2, d, steps, none(), signatureOf(byPermit2, d, steps, none())));
        bool right = done && paid - usdc.balanceOf(owner) == d.amountIn
            && fiatVault.balanceOf(owner) - held == d.amountIn;
        _count(right);
    }

    function withdraw(uint256 amount, uint256 floor) external {
        amount = within(amount, 1, 1e24);
        Order memory d = depositOf(address(token), amount, address(vault));
        d.receiver = alice;
        vm.prank(alice);
        router.execute(d, one(vaultStep(address(token), address(vault), alice)), none());
        vm.prank(alice);
        vault.approve(address(router), amount);
        d = depositOf(address(vault), MAX, address(token));
        (d.direct, d.minOut, d.minOutPerIn) = (false, 0, within(floor, 0.9e27, 1.1e27));
        Step memory redeem = callStep(address(vault), abi.encodeWithSignature("redeem(uint256,address,address)", 0, 0, 0));
        redeem.patches = new Patch[](3);
        redeem.patches[0] = Patch(4, address(vault), 0, 0);
        redeem.patches[1] = Patch(36, SELF, 0, 0);
        redeem.patches[2] = Patch(68, SELF, 0, 0);
        uint256 before = token.balanceOf(bob);
        bool enough = amount * 1e27 >= amount * d.minOutPerIn;
        vm.prank(alice);
        (bool done,) = address(router).call(abi.encodeCall(IDepositRouter.execute, (d, one(redeem), none())));
        uint256 gained = token.balanceOf(bob) - before;
        _count(done == enough && gained == (done ? amount : 0));
    }

    function nativeOut(uint256 amount, uint256 fee) external {
        amount = within(amount, 1, 100 ether);
        vm.deal(alice, amount);
        vm.prank(alice);
        weth.deposit{value: amount}();
        vm.prank(alice);
        weth.approve(address(router), amount);
        Order memory d = depositOf(address(weth), amount, NATIVE);
        (d.direct, d.minOut, d.nativeFee) = (false, amount, fee % 4 == 0 ? 1 : 0);
        Step memory unwrap = callStep(address(weth), abi.encodeCall(WrappedNative.withdraw, (0)));
        unwrap.patches = patch(address(weth), 4);
        uint256 before = bob.balance;
        vm.deal(alice, 1);
        vm.prank(alice);
        (bool done,) = address(router).call{value: d.nativeFee}(
            abi.encodeCall(IDepositRouter.execute, (d, one(unwrap), none()))
        );
        _count(done == (d.nativeFee == 0) && bob.balance - before == (done ? amount : 0));
    }

    function _count(bool right) private {
        if (right) orders += 1;
        else wrong += 1;
    }

    // --- attacks ----------------------------------------------------------------------------------------------------

    function attack(uint256 kind, uint256 word) external {
        kind = kind % KINDS;
        bool right = kind < 9 ? _byStep(kind, word) : kind < 15 ? _bySignature(kind, word) : _byControl(kind, word);
        if (right) landed[kind] += 1;
        else breaches[kind] += 1;
    }

    function _mine(uint256 word) private view returns (Order memory d) {
        d = depositOf(address(token), within(word, 10, 1e18), address(honest));
        (d.receiver, d.refundTo) = (mallory, mallory);
    }

    function _attempt(Order memory d, Step[] memory steps) private returns (bool done, bytes memory answer) {
        vm.prank(mallory);
        return address(router).call(abi.encodeCall(IDepositRouter.execute, (d, steps, none())));
    }

    /// @dev A hostile step before, between or after honest ones.
    function _byStep(uint256 kind, uint256 word) private returns (bool) {
        Order memory d = _mine(word);
        uint256 at = word % 3;
        Step[] memory steps = three(
            callStep(address(token), abi.encodeCall(Token.mint, (carol, 0))),
            callStep(address(token), abi.encodeCall(Token.mint, (carol, 0))),
            vaultStep(address(token), address(honest), mallory)
        );
        (Step memory hostile, bytes memory why) = _hostile(kind, at);
        if (kind == 2) steps = two(hostile, steps[2]);
        else if (kind == 7) (d.direct, steps) = (false, one(hostile));
        else steps[at] = hostile;
        if (kind == 8) (d.tokenOut, d.minOut, d.direct, steps) = (BRIDGED, 0, false, one(hostile));
        if (kind == 8) why = abi.encodeWithSelector(IDepositRouter.StepTookTooLittle.selector, 0, 0, 1);
        (bool done, bytes memory answer) = _attempt(d, steps);
        if (kind == 2) return done;
        return !done && keccak256(answer) == keccak256(why);
    }

    function _hostile(uint256 kind, uint256 at) private view returns (Step memory step, bytes memory why) {
        step = callStep(address(token), abi.encodeCall(Token.transferFrom, (victim, mallory, 1)));
        why = stepSaid(at, "allowance");
        if (kind == 1) step.data = abi.encodeCall(Token.move, (victim, mallory, 1));
        if (kind == 2) step.data = abi.encodeCall(Token.approve, (mallory, MAX));
        if (kind >= 3 && kind <= 5) {
            step.target = kind == 3 ? implementation : kind == 4 ? address(router) : PERMIT2;
            why = abi.encodeWithSelector(IDepositRouter.StepTargetForbidden.selector, at, step.target);
        }
        if (kind == 6) {
            step.target = address(0xdead);
            why = abi.encodeWithSelector(IDepositRouter.StepTargetWithoutCode.selector, at, step.target);
        }
        if (kind == 7) {
            step = callStep(address(honest), abi.encodeCall(Token.mint, (mallory, 1e18)));
            why = outputBelow(0, 1);
        }
        if (kind == 8) {
            step = callStep(address(token), abi.encodeCall(Token.mint, (carol, 0)));
            (step.needToken, step.needAmount) = (address(token), 1);
        }
    }

    function _signedOrder(uint256 amount) private returns (Order memory d, Step[] memory steps) {
        d = signedOrder(within(amount, 3, 1e12));
        (d.minIn, d.minOut, d.ref) = (d.amountIn, d.amountIn - 1, bytes32(++_serial));
        steps = signedSteps();
    }

    /// @dev A signed order that is changed, replayed, expired, or of somebody who never signed.
    function _bySignature(uint256 kind, uint256 word) private returns (bool) {
        bool byPermit2 = word % 2 == 0;
        (Order memory d, Step[] memory steps) = _signedOrder(word);
        bytes memory sig = signatureOf(byPermit2, d, steps, none());
        bytes4 why = IDepositRouter.AuthorizationFailed.selector;
        address payer = owner;
        uint256 id = vm.snapshotState();
        if (kind == 9) _change(d, word >> 8);
        if (kind == 10) steps[0].data[35] = bytes1(uint8(word >> 8) | 1);
        if (kind == 11) payer = victim;
        if (kind == 12) (payer, sig) = (victim, new bytes(65));
        if (kind == 13) {
            vm.warp(d.deadline + 1);
            why = IDepositRouter.DeadlinePassed.selector;
        }
        bytes memory data = submissionOf(byPermit2, payer, d, steps, none(), sig);
        bool done;
        bytes memory answer;
        if (kind == 14) {
            (done,) = submit(data);
            if (!done) return false;
        }
        (done, answer) = submit(data);
        if (kind == 13) vm.revertToState(id);
        return !done && bytes4(answer) == why;
    }

    function _change(Order memory d, uint256 word) private view {
        uint256 field = word % 9;
        if (field == 0) d.receiver = mallory;
        if (field == 1) d.refundTo = mallory;
        if (field == 2) d.minOut = 1;
        if (field == 3) d.minIn -= 1;
        if (field == 4) d.amountIn -= 1;
        if (field == 5) d.tokenOut = address(vault);
        if (field == 6) d.deadline += 1;
        if (field == 7) d.direct = false;
        if (field == 8) d.partnerId = "mallory";
    }

    /// @dev A vault that lends control in the middle of alice's order to somebody who plans to use it.
    function _byControl(uint256 kind, uint256 word) private returns (bool) {
        Order memory d = depositOf(address(token), within(word, 10, 1e18), address(hooked));
        bytes memory expected = abi.encodeWithSignature("Error(string)", "allowance");
        if (kind == 15) {
            Order memory inner = _mine(word);
            intruder.plan(
                address(router), 0, abi.encodeCall(IDepositRouter.execute, (inner, new Step[](0), none()))
            );
            expected = abi.encodeWithSelector(IDepositRouter.Reentered.selector);
        }
        if (kind == 16) {
            intruder.plan(nextClone(), 0, driveData(new Step[](0), address(token)));
            expected = abi.encodeWithSelector(IDepositRouter.OnlyRouter.selector);
        }
        if (kind == 17) {
            // An approval that the intruder had himself given in an order of his own is worth nothing in this one.
            Step memory plant = callStep(address(token), abi.encodeCall(Token.approve, (address(intruder), MAX)));
            (bool planted,) = _attempt(_mine(word), two(plant, vaultStep(address(token), address(honest), mallory)));
            if (!planted) return false;
            intruder.plan(address(token), 0, abi.encodeCall(Token.transferFrom, (nextClone(), mallory, 1)));
        }
        uint256 calls = intruder.calls();
        vm.prank(alice);
        router.execute(d, one(vaultStep(address(token), address(hooked), bob)), none());
        return intruder.calls() == calls + 1 && keccak256(intruder.answer()) == keccak256(expected);
    }
}
