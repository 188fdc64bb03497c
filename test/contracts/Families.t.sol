// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IDepositRouter, Order, Step} from "./support/IDepositRouter.sol";
import {RouterTest} from "./support/RouterTest.sol";
import {Token, Traits} from "./support/Tokens.sol";

/// @notice Orchestrator with a separate share token (Upshift), or staking with a reference (Hyperbeat).
contract SeparateShares {
    Token public immutable shares;

    constructor(Token shares_) {
        shares = shares_;
    }

    function deposit(Token asset, uint256 amount, address receiver) external {
        asset.transferFrom(msg.sender, address(this), amount);
        shares.mint(receiver, amount);
    }

    function stake(Token asset, address receiver, uint256 amount, bytes32) external {
        asset.transferFrom(msg.sender, address(this), amount);
        shares.mint(receiver, amount);
    }
}

/// @notice Issuance vault that counts in 18 decimals whatever the token's, and mints to its caller (Midas).
contract IssuanceVault {
    Token public immutable shares;

    constructor(Token shares_) {
        shares = shares_;
    }

    function depositInstant(Token asset, uint256 amount18, uint256 minShares, bytes32) external {
        uint256 scale = 10 ** (18 - asset.decimals());
        require(amount18 % scale == 0, "invalid rounding");
        require(amount18 >= minShares, "min receive");
        asset.transferFrom(msg.sender, address(this), amount18 / scale);
        shares.mint(msg.sender, amount18);
    }
}

/// @notice Teller and vault: called at one address, paid through the other (Veda); shares may be locked after
/// minting.
contract BoringVault is Token {
    address public lockedBy;
    bool public locks;

    constructor() Token(18, _plain()) {}

    function enter(address from, Token asset, uint256 amount, address to) external {
        asset.transferFrom(from, address(this), amount);
        mint(to, amount);
        if (locks) this.setBlocked(to, true);
    }

    function setLocks(bool yes) external {
        locks = yes;
    }

    function _plain() private pure returns (Traits memory plain) {}
}

contract Teller {
    BoringVault public immutable vault;

    constructor(BoringVault vault_) {
        vault = vault_;
    }

    function deposit(Token asset, uint256 amount, uint256 minimumMint) external {
        require(amount >= minimumMint, "minimum");
        vault.enter(msg.sender, asset, amount, msg.sender);
    }
}

/// @notice Queue that takes a uint224 and a proof, and mints to its caller (Mellow Core, Lido Earn).
contract DepositQueue {
    Token public immutable asset;
    Token public immutable shares;

    constructor(Token asset_, Token shares_) {
        (asset, shares) = (asset_, shares_);
    }

    function deposit(uint224 assets, address, bytes32[] calldata) external payable {
        asset.transferFrom(msg.sender, address(this), assets);
        shares.mint(msg.sender, assets);
    }
}

/// @notice The vault families' calldata templates, one deposit each.
contract FamiliesTest is RouterTest {
    Token internal usdc;
    Token internal shares;

    function setUp() public override {
        super.setUp();
        Traits memory plain;
        usdc = new Token(6, plain);
        shares = new Token(18, plain);
        fund(usdc, alice, 250e6);
    }

    function _template(address target, address spender, uint256 offset, bytes memory data)
        private
        view
        returns (Step memory step)
    {
        step = callStep(target, data);
        (step.approveToken, step.spender) = (address(usdc), spender);
        step.patches = patch(address(usdc), offset);
    }

    function _deposit(Token shares_, uint256 expected, bool direct, Step[] memory steps) private {
        Order memory d = depositOf(address(usdc), MAX, address(shares_));
        d.direct = direct;
        d.minOut = expected;
        address clone = nextClone();
        eq(run(d, steps), expected, "shares");
        assertEmpty(address(usdc), clone, steps[0].spender);
        assertEmpty(address(shares_), clone, steps[0].spender);
    }

    function test_upshiftNamesTheAssetAndTheReceiver() external {
        SeparateShares orchestrator = new SeparateShares(shares);
        bytes memory data = abi.encodeCall(SeparateShares.deposit, (usdc, 0, bob));
        _deposit(shares, 250e6, true, one(_template(address(orchestrator), address(orchestrator), 36, data)));
    }

    function test_hyperbeatHasTheAmountThird() external {
        SeparateShares staking = new SeparateShares(shares);
        bytes memory data = abi.encodeCall(SeparateShares.stake, (usdc, bob, 0, "ref"));
        _deposit(shares, 250e6, true, one(_template(address(staking), address(staking), 68, data)));
    }

    function test_midasCountsInEighteenDecimalsAndMintsToItsCaller() external {
        IssuanceVault issuance = new IssuanceVault(shares);
        bytes memory data = abi.encodeCall(IssuanceVault.depositInstant, (usdc, 0, 249e18, "ref"));
        Step memory step = _template(address(issuance), address(issuance), 36, data);
        step.patches[0].mul = 1e12;
        _deposit(shares, 250e18, false, one(step));
    }

    function test_vedaApprovesTheVaultAndCallsTheTeller() external {
        BoringVault boring = new BoringVault();
        bytes memory data = abi.encodeCall(Teller.deposit, (usdc, 0, 249e6));
        Step memory step = _template(address(new Teller(boring)), address(boring), 36, data);
        _deposit(boring, 250e6, false, one(step));
    }

    function test_vedaWithLockedSharesReverts() external {
        BoringVault boring = new BoringVault();
        boring.setLocks(true);
        bytes memory data = abi.encodeCall(Teller.deposit, (usdc, 0, 249e6));
        Step memory step = _template(address(new Teller(boring)), address(boring), 36, data);
        Order memory d = depositOf(address(usdc), MAX, address(boring));
        d.direct = false;
        runExpecting(tokenSaid(address(boring), "blocked"), d, one(step));
        eq(usdc.balanceOf(alice), 250e6, "nothing lost");
    }

    function test_lidoQueueTakesANarrowerNumber() external {
        DepositQueue queue = new DepositQueue(usdc, shares);
        bytes memory data = abi.encodeCall(DepositQueue.deposit, (0, bob, new bytes32[](0)));
        _deposit(shares, 250e6, false, one(_template(address(queue), address(queue), 4, data)));
    }
}
